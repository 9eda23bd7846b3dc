"""Answers of AWS have the form that botocore describes."""

from __future__ import annotations

import pytest

from pytest_evosearch.sut.outgoing.answered_services import AnsweredServices

boto3 = pytest.importorskip("boto3")
exceptions = pytest.importorskip("botocore.exceptions")

KEYS = {"region_name": "eu-west-1", "aws_access_key_id": "a", "aws_secret_access_key": "b"}


class EverySame(dict):
    """The same answer to every call."""

    def get(self, key, default=None):
        return self["all"] if key.startswith(("GET", "POST", "HEAD")) else None


@pytest.fixture
def answer():
    services = AnsweredServices()

    def answer(**given):
        services.begin(EverySame(all=given), frozenset)
        return services

    with services.installed():
        services.begin_test()
        yield answer
        services.end_test()


CALLS = {
    "json": (
        lambda: boto3.client("dynamodb", **KEYS).get_item(TableName="a", Key={"b": {"S": "c"}}),
        {"Item": {"price": 3, "name": "oats"}},
        {"Item": {"price": {"N": "3"}, "name": {"S": "oats"}}},
    ),
    "rest-xml": (
        lambda: boto3.client("s3", **KEYS).list_objects_v2(Bucket="a"),
        {"Contents": [{"Key": "b", "Size": 3}], "IsTruncated": True},
        {"Contents": [{"Key": "b", "Size": 3}], "IsTruncated": True},
    ),
    "a header": (
        lambda: boto3.client("s3", **KEYS).head_object(Bucket="a", Key="b"),
        {"ContentType": "text/csv", "ETag": "c"},
        {"ContentType": "text/csv", "ETag": "c"},
    ),
    "headers of one beginning": (
        lambda: boto3.client("s3", **KEYS).head_object(Bucket="a", Key="b"),
        {
            "ContentLength": "a length that is told already",
            "Metadata": {"kept-for": "d", "e f": "g"},
        },
        {"Metadata": {"kept-for": "d"}},
    ),
    "query": (
        lambda: boto3.client("sns", **KEYS).list_topics(),
        {"Topics": [{"TopicArn": "b"}], "NextToken": "c"},
        {"Topics": [{"TopicArn": "b"}], "NextToken": "c"},
    ),
    "ec2": (
        lambda: boto3.client("ec2", **KEYS).describe_regions(),
        {"Regions": [{"RegionName": "b"}]},
        {"Regions": [{"RegionName": "b"}]},
    ),
    "rest-json": (
        lambda: boto3.client("lambda", **KEYS).list_functions(),
        {"Functions": [{"FunctionName": "b", "Timeout": 3}]},
        {"Functions": [{"FunctionName": "b", "Timeout": 3}]},
    ),
}


@pytest.mark.parametrize("protocol", CALLS)
def test_members_arrive(answer, protocol):
    call, document, expected = CALLS[protocol]
    answer(json=document)

    assert {name: call()[name] for name in expected} == expected


def test_a_file_is_what_it_holds(answer):
    answer(json={"Body": "a,b"})

    found = boto3.client("s3", **KEYS).get_object(Bucket="a", Key="b")

    assert found["Body"].read() == b"a,b"


def test_reads_are_noted_and_another_type_is_converted(answer):
    services = answer(json={"Contents": {"Size": "Size 1"}})

    found = boto3.client("s3", **KEYS).list_objects_v2(Bucket="a")

    assert "Contents" in found
    assert found["Contents"][0]["Size"] == 1
    uses = {one.path[2:]: one.type_name for one in services.reads()}
    assert uses["Contents",] == "needed"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"status": 404}, "NoSuchKey"),
        ({"status": 403}, "AccessDenied"),
        ({"status": 400, "json": {"Error": {"Code": "Mine"}}}, "Mine"),
    ],
)
def test_an_error_has_its_code(answer, given, code):
    answer(**given)

    with pytest.raises(exceptions.ClientError) as failure:
        boto3.client("s3", **KEYS).get_object(Bucket="a", Key="b")

    assert failure.value.response["Error"]["Code"] == code
