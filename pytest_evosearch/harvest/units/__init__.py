"""From the archive of a search for units to the tests worth writing.

Start at `unit_harvest`.  Only `engine` imports it.

Where to find a decision:

- how tests get simple: `unit_reduction`
- which are added because they detect what others overlook: `unit_strengthening`
- whose objects get something to hold, and which say nothing new: `unit_enriching`,
  `unit_variants`; what a test says: `weighed_tests`
- what takes the place of a test that ends differently each time: `unit_steadiness`
- which attributes of a made object say something: `made_objects`
"""

from __future__ import annotations
