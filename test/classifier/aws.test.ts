import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { describeClient } from './client-suite.js'
import { type Service, startService } from './service.js'
import { SECRET, type Told, told } from './thrown.js'

// Node 20 is old enough for the SDK to warn of.
vi.spyOn(process, 'emitWarning').mockReturnValue()

const options = {
  region: 'eu-west-1',
  credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  maxAttempts: 1,
} as const

/** How long the SDK waits for an answer. */
const within = (patience: number): { requestTimeout: number; throwOnRequestTimeout: true } => ({
  requestTimeout: patience,
  throwOnRequestTimeout: true,
})

function readItem(endpoint: string, patience: number, abortSignal?: AbortSignal): Promise<unknown> {
  const client = new DynamoDBClient({ ...options, endpoint, requestHandler: within(patience) })
  const command = new GetItemCommand({ TableName: 'orders', Key: { id: { S: 'A-1' } } })
  return client.send(command, abortSignal && { abortSignal })
}

async function readObject(endpoint: string, patience: number, abortSignal?: AbortSignal): Promise<unknown> {
  const client = new S3Client({ ...options, endpoint, forcePathStyle: true, requestHandler: within(patience) })
  const command = new GetObjectCommand({ Bucket: 'orders', Key: 'A-1' })
  const { Body } = await client.send(command, abortSignal && { abortSignal })
  return Body?.transformToString()
}

// Its time-out ends with the head of the answer.
describeClient('DynamoDB', readItem, { stopping: null, abortable: true })
describeClient('S3', readObject, { stopping: null, abortable: true })

describe('exceptions that AWS answers', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it.each<[number, string, Told]>([
    [400, 'ThrottlingException', { reason: 'rate_limited', action: 'wait' }],
    [400, 'ProvisionedThroughputExceededException', { reason: 'rate_limited', action: 'wait' }],
    [400, 'RequestLimitExceeded', { reason: 'rate_limited', action: 'wait' }],
    [400, 'LimitExceededException', { reason: 'rate_limited', action: 'wait' }],
    [400, 'ValidationException', { reason: 'domain_rejection', action: 'correct_call' }],
    [400, 'ResourceNotFoundException', { reason: 'domain_rejection', action: 'replan' }],
    [400, 'ConditionalCheckFailedException', { reason: 'domain_rejection', action: 'replan' }],
    [400, 'TransactionConflictException', { reason: 'unavailable', action: 'wait' }],
    [400, 'AccessDeniedException', { reason: 'denied', action: 'replan' }],
    [400, 'UnrecognizedClientException', { reason: 'denied', action: 'replan' }],
    [400, 'ExpiredTokenException', { reason: 'denied', action: 'replan' }],
    [500, 'InternalServerError', { reason: 'unavailable', action: 'wait' }],
  ])('of DynamoDB: %d %s', async (status, name, expected) => {
    const body = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: SECRET })
    service.answer = { status, body, headers: { 'content-type': 'application/x-amz-json-1.0' } }
    expect(await told(() => readItem(service.url, 60_000))).toEqual(expected)
  })

  it.each<[number, string, Told]>([
    [503, 'SlowDown', { reason: 'rate_limited', action: 'wait' }],
    [400, 'RequestTimeout', { reason: 'timeout', action: 'wait' }],
    [400, 'ExpiredToken', { reason: 'denied', action: 'replan' }],
    [404, 'NoSuchKey', { reason: 'domain_rejection', action: 'replan' }],
    [403, 'AccessDenied', { reason: 'denied', action: 'replan' }],
  ])('of S3: %d %s', async (status, code, expected) => {
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${SECRET}</Message></Error>`
    service.answer = { status, body, headers: { 'content-type': 'application/xml' } }
    expect(await told(() => readObject(service.url, 60_000))).toEqual(expected)
  })
})
