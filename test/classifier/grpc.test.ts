import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cancelled, internal, timedOut, unavailable } from './client-suite.js'
import { deserted } from './service.js'
import { SECRET, type Told, told } from './thrown.js'

const method = {
  path: '/orders.Orders/GetOrder',
  requestStream: false,
  responseStream: false,
  requestSerialize: (text: string) => Buffer.from(text),
  requestDeserialize: (bytes: Buffer) => bytes.toString(),
  responseSerialize: (text: string) => Buffer.from(text),
  responseDeserialize: (bytes: Buffer) => bytes.toString(),
} as const

describe('errors of gRPC', () => {
  const server = new Server()
  let client: Client
  let answer: (reply: sendUnaryData<string>) => void = () => {}

  beforeAll(async () => {
    const handler = (_: ServerUnaryCall<string, string>, reply: sendUnaryData<string>): void => answer(reply)
    server.addService({ getOrder: method }, { getOrder: handler })
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      )
    })
    client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  })
  afterAll(() => {
    client.close()
    server.forceShutdown()
  })

  const getOrder = (deadline: number, of = client, path: string = method.path): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + deadline }
      const call = of.makeUnaryRequest(
        path,
        method.requestSerialize,
        method.responseDeserialize,
        'A-1',
        new Metadata(),
        options,
        (error, order) => (error ? reject(error) : resolve(order)),
      )
      if (deadline === Number.POSITIVE_INFINITY) setTimeout(() => call.cancel(), 30)
    })

  it.each<[keyof typeof status, Told]>([
    ['CANCELLED', cancelled],
    ['UNKNOWN', internal],
    ['INVALID_ARGUMENT', { reason: 'domain_rejection', action: 'correct_call' }],
    ['DEADLINE_EXCEEDED', timedOut],
    ['NOT_FOUND', { reason: 'domain_rejection', action: 'replan' }],
    ['ALREADY_EXISTS', { reason: 'domain_rejection', action: 'replan' }],
    ['PERMISSION_DENIED', { reason: 'denied', action: 'replan' }],
    ['RESOURCE_EXHAUSTED', { reason: 'rate_limited', action: 'wait' }],
    ['FAILED_PRECONDITION', { reason: 'domain_rejection', action: 'replan' }],
    ['ABORTED', unavailable],
    ['OUT_OF_RANGE', { reason: 'domain_rejection', action: 'correct_call' }],
    ['UNIMPLEMENTED', internal],
    ['INTERNAL', internal],
    ['UNAVAILABLE', unavailable],
    ['DATA_LOSS', internal],
    ['UNAUTHENTICATED', { reason: 'denied', action: 'replan' }],
  ])('%s from a server', async (name, expected) => {
    answer = (reply) => reply({ code: status[name], details: SECRET })
    expect(await told(() => getOrder(2000))).toEqual(expected)
  })

  it('a deadline that passes', async () => {
    answer = () => {}
    expect(await told(() => getOrder(100))).toEqual(timedOut)
  })

  it('a call that was given up', async () => {
    answer = () => {}
    expect(await told(() => getOrder(Number.POSITIVE_INFINITY))).toEqual(cancelled)
  })

  it('a method that the server does not have', async () => {
    expect(await told(() => getOrder(2000, client, '/orders.Orders/Nothing'))).toEqual(internal)
  })

  it('a server that is not there', async () => {
    const lost = new Client(new URL(await deserted()).host, credentials.createInsecure())
    expect(await told(() => getOrder(2000, lost))).toEqual(unavailable)
    lost.close()
  })
})
