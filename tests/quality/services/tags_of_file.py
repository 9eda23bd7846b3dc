"""A file in a bucket has tags, a size, and metadata of its own that keep it back."""

from __future__ import annotations

import boto3
from botocore.exceptions import ClientError
from flask import Flask
from flask import jsonify

app = Flask(__name__)
KEYS = {"aws_access_key_id": "a", "aws_secret_access_key": "b"}
storage = boto3.client("s3", "eu-west-1", **KEYS)


@app.get("/files/<name>")
def get_file(name):
    try:
        answer = storage.get_object_tagging(Bucket="files", Key=name)
        tags = {tag["Key"]: tag["Value"] for tag in answer["TagSet"]}
        found = storage.head_object(Bucket="files", Key=name)
    except ClientError as error:
        if error.response["Error"]["Code"] in ("404", "NoSuchKey"):
            return jsonify(error="not found"), 404
        return jsonify(error="failed"), 502
    if found["Metadata"].get("kept-for"):
        raise ConnectionAbortedError("kept back")
    return jsonify(size=found["ContentLength"], kind=found["ContentType"], tags=tags)
