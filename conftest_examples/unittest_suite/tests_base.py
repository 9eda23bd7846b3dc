import unittest

from notes import create_app


class BaseTestCase(unittest.TestCase):
    def setUp(self):
        self.app = create_app(limit=10)
        self.app.config["TESTING"] = True
        self.client = self.app.test_client()
