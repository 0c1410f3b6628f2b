"""An S3 that knows one user, who may do all with one bucket: prints its port, the key and the secret; ends with its input."""
import json
import os
import sys

os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "4"
import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
anybody = {"endpoint_url": f"http://{host}:{port}", "region_name": "us-east-1", "aws_access_key_id": "a", "aws_secret_access_key": "b"}
iam = boto3.client("iam", **anybody)
boto3.client("s3", **anybody).create_bucket(Bucket="farm")
iam.create_user(UserName="farm")
rights = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="farm", PolicyName="all", PolicyDocument=json.dumps(rights))
key = iam.create_access_key(UserName="farm")["AccessKey"]
print(port, key["AccessKeyId"], key["SecretAccessKey"], flush=True)
sys.stdin.read()
