import { createServer } from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { internal, timedOut, unavailable } from './client-suite.js'
import { deserted, listen } from './service.js'
import { SECRET, type Told, told } from './thrown.js'

const wrongValues: Told = { reason: 'domain_rejection', action: 'correct_call' }
const rejected: Told = { reason: 'domain_rejection', action: 'replan' }
const denied: Told = { reason: 'denied', action: 'replan' }

const tables = `
  create table customer (id int primary key, name varchar(5) not null, credit int check (credit > 0));
  create table purchase (customer int references customer (id));
  create role visitor;
  insert into customer values (1, 'Ann', 1);`

const raise = (condition: string): string =>
  `do $$ begin raise exception '${SECRET}' using errcode = '${condition}'; end $$`

/** One statement and the SQLSTATE that the engine answers. */
const statements: readonly (readonly [state: string, statement: string, Told])[] = [
  ['23505', `insert into customer values (1, 'Bob', 1)`, rejected],
  ['23502', 'insert into customer values (2, null, 1)', rejected],
  ['23514', `insert into customer values (2, 'Bob', -1)`, rejected],
  ['23503', 'insert into purchase values (9)', rejected],
  ['22001', `insert into customer values (2, 'Robert', 1)`, wrongValues],
  ['22P02', `select '${SECRET}'::int`, wrongValues],
  ['22012', 'select 1 / 0', wrongValues],
  ['22003', 'select 99999999999::int', wrongValues],
  ['42P01', 'select * from nothing', internal],
  ['42703', 'select nothing from customer', internal],
  ['42601', 'selec 1', internal],
  ['42501', 'set role visitor; select * from customer', denied],
  ['25006', 'begin read only; delete from purchase', internal],
  ['P0001', `do $$ begin raise exception '${SECRET}'; end $$`, rejected],
  ['P0002', 'do $$ declare x int; begin select id into strict x from customer where id = 9; end $$', rejected],
  ...['08006', '40001', '40P01', '53300', '55006', '55P03', '57P01', '57P03', '58030'].map(
    (state) => [state, raise(state), unavailable] as const,
  ),
  ...['25P03', '25P04', '57014', '57P05'].map((state) => [state, raise(state), timedOut] as const),
  ...['0A000', '54001', 'XX000', '99999'].map((state) => [state, raise(state), internal] as const),
  ['28P01', raise('28P01'), denied],
  ['44000', raise('44000'), rejected],
]

describe('errors of PostgreSQL', () => {
  let database: PGlite
  const thrown = new Map<string, unknown>()

  beforeAll(async () => {
    database = await PGlite.create()
    await database.exec(tables)
    for (const [state, statement] of statements) {
      await database.exec(statement).catch((error: unknown) => thrown.set(state, error))
      await database.exec('rollback; reset role')
    }
  })
  afterAll(() => database.close())

  it.each(statements)('%s from the engine: %s', async (state, _, expected) => {
    expect(thrown.get(state)).toHaveProperty('code', state)
    expect(await told(() => Promise.reject(thrown.get(state)))).toEqual(expected)
  })

  it.each(statements)('%s as an error of pg: %s', async (state, _, expected) => {
    const error = Object.assign(new pg.DatabaseError(SECRET, 100, 'error'), { code: state, severity: 'ERROR' })
    expect(await told(() => Promise.reject(error))).toEqual(expected)
    const wrapped = new Error(`Failed query: ${SECRET}`, { cause: error })
    expect(await told(() => Promise.reject(wrapped))).toEqual(expected)
  })

  it('a server of which pg finds nothing', async () => {
    const { hostname: host, port } = new URL(await deserted())
    const client = new pg.Client({ host, port: Number(port), user: 'u', password: 'p' })
    expect(await told(() => client.connect())).toEqual(unavailable)
  })

  it('a FATAL that pg reads from the wire', async () => {
    const server = createServer((socket) => {
      const fields = `SFATAL\0VFATAL\0C57P03\0M${SECRET}\0\0`
      const head = Buffer.alloc(5)
      head.write('E')
      head.writeInt32BE(fields.length + 4, 1)
      socket.once('data', () => socket.end(Buffer.concat([head, Buffer.from(fields)])))
    })
    const port = await listen(server)
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'u', password: 'p' })
    client.on('error', () => {})
    expect(await told(() => client.connect())).toEqual(unavailable)
    server.close()
  })
})
