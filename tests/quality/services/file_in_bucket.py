"""Reads a file in a bucket of S3, and lists what is there."""

from __future__ import annotations

import boto3
from botocore.exceptions import BotoCoreError
from botocore.exceptions import ClientError
from flask import Flask
from flask import jsonify

app = Flask(__name__)
storage = boto3.client(
    "s3", region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="b"
)


@app.get("/files/<name>")
def file(name):
    try:
        answer = storage.get_object(Bucket="papers", Key=name)
    except ClientError as error:
        if error.response["Error"]["Code"] == "NoSuchKey":
            return jsonify(error="no such file"), 404
        return jsonify(error="storage"), 502
    except BotoCoreError:
        return jsonify(error="storage"), 503
    return jsonify(length=len(answer["Body"].read()))


@app.get("/files")
def files():
    try:
        answer = storage.list_objects_v2(Bucket="papers")
    except (BotoCoreError, ClientError):
        return jsonify(error="storage"), 503
    found = [(one["Key"], one["Size"]) for one in answer.get("Contents", [])]
    if found and sum(size for _key, size in found) == 0:
        raise BufferError("only empty files")
    return jsonify(found)
