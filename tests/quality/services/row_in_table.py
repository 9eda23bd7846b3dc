"""Reads an item of a table of DynamoDB."""

from __future__ import annotations

import boto3
from botocore.exceptions import BotoCoreError
from botocore.exceptions import ClientError
from flask import Flask
from flask import jsonify

app = Flask(__name__)
keys = {"region_name": "eu-west-1", "aws_access_key_id": "a", "aws_secret_access_key": "b"}
table = boto3.resource("dynamodb", **keys).Table("orders")


@app.get("/orders/<name>")
def order(name):
    try:
        item = table.get_item(Key={"name": name}).get("Item")
    except ClientError as error:
        if error.response["Error"]["Code"] == "ResourceNotFoundException":
            return jsonify(error="no table"), 500
        return jsonify(error="table"), 502
    except BotoCoreError:
        return jsonify(error="table"), 503
    if item is None:
        return jsonify(error="no such order"), 404
    if item["state"] == "split":
        raise ChildProcessError("an order in parts")
    return jsonify(state=item["state"])
