import { describe, expect, it } from 'vitest'
import { postgresStore } from '../../packages/runtime/src/postgres.js'
import { describeStore } from '../sessions/store-suite.js'
import { describeClaims } from './claims.js'
import { describeConversations } from './conversations.js'
import { describeDamagedRows } from './damaged-rows.js'
import { overEachDatabase } from './databases.js'
import { describeEntryRows } from './entry-rows.js'
import { describeLeases } from './leases.js'
import { describeLimits } from './limits.js'
import { describeManySessions } from './many-sessions.js'
import { describeMigrations } from './migrations.js'
import { describeNeighbours } from './neighbours.js'
import { describePostgresStore } from './own-promises.js'
import { describeServerFailures } from './server-failures.js'
import { describeSubscriptions } from './subscriptions.js'
import { describeWholeSessions } from './whole-sessions.js'

// One file: an embedded database takes seconds to begin, and hundreds of megabytes.
await overEachDatabase((database, isMain) => {
  const { query, pool } = database
  const empty = () => query('delete from session_tool_state', [])

  describe('migrations', () => describeMigrations(database))

  describeStore('in PostgreSQL', async () => ({
    store: postgresStore({ query }),
    elsewhere: postgresStore({ query }),
    close: async () => {
      await empty()
    },
  }))

  describe('subscriptions', () => describeSubscriptions(database))

  // Both databases run the same code of PostgreSQL, so one of them runs the other tests.
  if (!isMain) return

  describe('claims of suspensions', () => describeClaims(database))

  describe('shared limits', () => describeLimits(database))

  describe('the store', () => describePostgresStore(database))

  describe('many sessions', () => describeManySessions(database))

  describe('leases', () => describeLeases(database))

  describe('whole sessions', () => describeWholeSessions(database))

  describe('sessions of one store', () => describeNeighbours(database))

  describe('entries with rows of their own', () => describeEntryRows(database))

  describe('conversations', () => describeConversations(database))

  describe('damaged rows', () => describeDamagedRows(database))

  if (pool !== undefined) describe('failures of a server', () => describeServerFailures(pool))
})

describe('a table name', () => {
  it.each(['', 'Sessions', 'a b', 'a"; drop table users; --', 'a.b.c', 'x'.repeat(64)])('is refused: %j', (table) => {
    expect(() => postgresStore({ query: async () => ({ rows: [] }), table })).toThrow(TypeError)
  })
})
