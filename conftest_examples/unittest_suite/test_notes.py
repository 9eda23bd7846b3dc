from tests_base import BaseTestCase


class NotesTestCase(BaseTestCase):
    def test_write_and_read(self):
        written = self.client.put("/notes/1", data="milk")

        self.assertEqual(written.status_code, 201)
        self.assertEqual(self.client.get("/notes/1").text, "milk")

    def test_numbers_have_a_limit(self):
        self.assertEqual(self.client.put("/notes/11", data="milk").status_code, 404)
