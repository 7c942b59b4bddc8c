import { randomBytes } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { memoryStore } from '@toolgen/runtime/sessions'
import { embeddedVariable } from './databases.mjs'

/**
 * Functions that open an empty store: `{ store, statements, end }`. `statements()` returns the number of statements that the database has executed.
 */
export const stores = { 'memory store': inMemory, PGlite: embedded, PostgreSQL: onServer }

async function inMemory() {
  return { store: memoryStore(), statements: () => 0, end: async () => undefined }
}

/** Opens a database in a folder. */
async function embedded() {
  const { PGlite } = await import('@electric-sql/pglite')
  const empty = process.env[embeddedVariable]
  const folder = `${empty}-${process.pid}`
  cpSync(empty, folder, { recursive: true })
  const database = await PGlite.create(folder)
  const end = async () => {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return counted((text, values) => database.query(text, values), end)
}

/** Opens a new schema on the server at DATABASE_URL. */
async function onServer() {
  const { default: pg } = await import('pg')
  const schema = `toolgen_bench_${randomBytes(6).toString('hex')}`
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, options: `-c search_path=${schema}` })
  await pool.query(`create schema ${schema}`)
  const end = async () => {
    await pool.query(`drop schema ${schema} cascade`)
    await pool.end()
  }
  return counted((text, values) => pool.query(text, values), end)
}

async function counted(query, end) {
  const { postgresStore } = await import('@toolgen/runtime/postgres')
  let count = 0
  const counting = (text, values) => {
    count += 1
    return query(text, values)
  }
  return { store: postgresStore({ query: counting }), statements: () => count, end }
}
