"""What runs inside the application: probes, the slots they live in, and what they record.

Every nanosecond counts here.  `probes` holds the probes of statements and branches, `conditions`,
`ranges` and `taps` those of values; `slots` says where they live, `waking` and `specialization`
when they come and go.  `trace` is what one test recorded.

Imports `transformation` and `distances`; never `loading`.
"""

from __future__ import annotations
