import { describe, expect, it } from 'vitest'
import { type Change, GroupCommit } from './postgres-store.js'

/** A database whose statements end when a test says so. */
class SlowDatabase {
  readonly statements: {
    readonly rows: readonly string[]
    end(changed?: readonly string[]): void
    fail(error: Error): void
  }[] = []

  readonly write = (changes: readonly Change[]): Promise<ReadonlySet<string>> => {
    const rows = changes.map(({ row }) => row)
    return new Promise((resolve, reject) => {
      this.statements.push({ rows, end: (changed = rows) => resolve(new Set(changed)), fail: reject })
    })
  }

  async statement(number: number): Promise<(typeof this.statements)[number]> {
    for (let turn = 0; turn < 20 && this.statements.length < number; turn += 1) await Promise.resolve()
    const statement = this.statements[number - 1]
    if (statement === undefined || this.statements.length > number)
      throw new Error(`${this.statements.length} statements.`)
    return statement
  }
}

const change = (row: string, json = '{}'): Change => ({ row, json })
const withState = (code: string): Error => Object.assign(new Error('refused'), { code })

describe('changes that come together', () => {
  it('are one statement', async () => {
    const database = new SlowDatabase()
    const commit = new GroupCommit(database.write)
    const all = Promise.all(['a', 'b', 'c'].map((row) => commit.write(change(row))))
    const first = await database.statement(1)
    expect(first.rows).toEqual(['a', 'b', 'c'])
    first.end()
    expect(await all).toEqual([true, true, true])
  })

  it('wait for the statement that is under way', async () => {
    const database = new SlowDatabase()
    const commit = new GroupCommit(database.write)
    const a = commit.write(change('a'))
    const first = await database.statement(1)
    const rest = Promise.all(['b', 'c'].map((row) => commit.write(change(row))))
    expect(database.statements).toHaveLength(1)
    first.end()
    expect(await a).toBe(true)
    const second = await database.statement(2)
    expect(second.rows).toEqual(['b', 'c'])
    second.end()
    expect(await rest).toEqual([true, true])
  })

  it('have each its own answer', async () => {
    const database = new SlowDatabase()
    const commit = new GroupCommit(database.write)
    const all = Promise.all(['a', 'b'].map((row) => commit.write(change(row))))
    ;(await database.statement(1)).end(['b'])
    expect(await all).toEqual([false, true])
  })

  it('are written one after another where they are of one row', async () => {
    const database = new SlowDatabase()
    const commit = new GroupCommit(database.write)
    const all = Promise.all([
      commit.write(change('a')),
      commit.write(change('a')),
      commit.write(change('b')),
      commit.write(change('a')),
    ])
    const first = await database.statement(1)
    expect(first.rows).toEqual(['a', 'b'])
    first.end()
    ;(await database.statement(2)).end()
    ;(await database.statement(3)).end()
    expect(await all).toEqual([true, true, true, true])
    expect(database.statements.map(({ rows }) => rows)).toEqual([['a', 'b'], ['a'], ['a']])
  })

  it('are divided when they are too many or too long', async () => {
    const database = new SlowDatabase()
    const commit = new GroupCommit(database.write)
    const many = Array.from({ length: 300 }, (_, index) => change(`many ${index}`))
    const long = Array.from({ length: 30 }, (_, index) => change(`long ${index}`, ' '.repeat(60_000)))
    const all = Promise.all([...many, ...long].map((one) => commit.write(one)))
    for (const number of [1, 2, 3]) (await database.statement(number)).end()
    await all
    expect(database.statements.map(({ rows }) => rows.length)).toEqual([256, 44 + 16, 14])
  })

  it('are written alone when they are long, so that short ones do not wait for them', async () => {
    const database = new SlowDatabase()
    const commit = new GroupCommit(database.write)
    const long = ['long 1', 'long 2', 'long 3', 'long 4'].map((row) => commit.write(change(row, ' '.repeat(100_000))))
    const withEntry = commit.write({ ...change('with an entry'), added: [' '.repeat(100_000)] })
    const short = commit.write(change('short'))
    await database.statement(4)
    expect(database.statements.map(({ rows }) => rows)).toEqual([['short'], ['long 1'], ['long 2'], ['long 3']])
    database.statements[0]?.end()
    expect(await short).toBe(true)
    const next = commit.write(change('short'))
    ;(await database.statement(5)).end()
    expect(await next).toBe(true)
    database.statements[2]?.end()
    ;(await database.statement(6)).end()
    database.statements[1]?.end()
    ;(await database.statement(7)).end()
    database.statements[3]?.end()
    expect(await Promise.all([...long, withEntry])).toEqual([true, true, true, true, true])
    expect(database.statements.slice(4).map(({ rows }) => rows)).toEqual([['short'], ['long 4'], ['with an entry']])
  })
})

describe('a statement that fails', () => {
  it('fails for all its changes with what the database said, and the next one is tried', async () => {
    const database = new SlowDatabase()
    const commit = new GroupCommit(database.write)
    const lost = withState('08006')
    const both = Promise.allSettled(['a', 'b'].map((row) => commit.write(change(row))))
    ;(await database.statement(1)).fail(lost)
    expect(await both).toEqual([
      { status: 'rejected', reason: lost },
      { status: 'rejected', reason: lost },
    ])
    const again = commit.write(change('a'))
    ;(await database.statement(2)).end()
    expect(await again).toBe(true)
  })

  /** Runs 51 changes, of which the statement fails that has `bad` and others. */
  class Refusing {
    readonly statements: (readonly string[])[] = []
    readonly commit = new GroupCommit(async (changes) => {
      const rows = changes.map(({ row }) => row)
      this.statements.push(rows)
      if (rows.some((row) => this.isBad(row))) throw this.error
      return new Set(rows)
    })
    isBad = (row: string): boolean => row === 'bad'
    readonly error: Error

    constructor(error: Error) {
      this.error = error
    }

    round(): Promise<PromiseSettledResult<boolean>[]> {
      const rows = [...Array.from({ length: 25 }, (_, index) => `before ${index}`), 'bad']
      const after = Array.from({ length: 25 }, (_, index) => `after ${index}`)
      return Promise.allSettled([...rows, ...after].map((row) => this.commit.write(change(row))))
    }
  }

  const timedOut = Object.assign(new Error('refused'), { name: 'TimeoutError' })

  it.each([
    ['an invalid value', withState('22P05')],
    ['too long for the database', withState('54000')],
    ['a constraint', withState('23514')],
    ['a deadlock', withState('40P01')],
    ['a locked row', withState('55P03')],
    ['a statement_timeout', withState('57014')],
    ['the time limit of a driver', new Error('Query read timeout')],
    ['a signal of timeout', timedOut],
  ])('defect 4a: fails only for the session that causes it: %s', async (_, error) => {
    const refusing = new Refusing(error)
    const first = await refusing.round()
    const failed = first.filter(({ status }) => status === 'rejected')
    expect(failed).toEqual([{ status: 'rejected', reason: error }])
    expect(first[25]).toBe(failed[0])
  })

  it('defect 4a: is not repeated for the others by a session that failed before', async () => {
    const refusing = new Refusing(withState('55P03'))
    await refusing.round()
    const before = refusing.statements.length
    const second = await refusing.round()
    expect(second.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect(refusing.statements.slice(before).map((rows) => rows.length)).toEqual([50, 1])
    refusing.isBad = () => false
    await refusing.round()
    const last = refusing.statements.length
    await refusing.round()
    expect(refusing.statements.slice(last).map((rows) => rows.length)).toEqual([51])
  })

  it.each([
    ['the time limit of a driver', new Error('Query read timeout'), 1 + 3],
    ['locked rows', withState('55P03'), 1 + 12],
  ])('is not repeated for every session when the first ones fail too: %s', async (_, error, statements) => {
    const refusing = new Refusing(error)
    refusing.isBad = () => true
    const all = await refusing.round()
    expect(all.every(({ status }) => status === 'rejected')).toBe(true)
    expect(refusing.statements.length).toBeGreaterThanOrEqual(statements)
    expect(refusing.statements.length).toBeLessThanOrEqual(statements + 2)
  })

  it('leaves a statement to long changes of others when several sessions failed before', async () => {
    const database = new SlowDatabase()
    const commit = new GroupCommit(database.write)
    const locked = ['bad 1', 'bad 2', 'bad 3', 'bad 4']
    const round = (): Promise<unknown> => Promise.allSettled(locked.map((row) => commit.write(change(row))))
    const first = round()
    for (let number = 1; number <= 5; number += 1) {
      while (database.statements.length < number) await Promise.resolve()
      database.statements[number - 1]?.fail(withState('55P03'))
    }
    await first
    void round()
    const long = commit.write(change('long', ' '.repeat(100_000)))
    await database.statement(8)
    expect(database.statements.slice(5).map(({ rows }) => rows)).toEqual([['bad 1'], ['bad 2'], ['long']])
    database.statements[7]?.end()
    expect(await long).toBe(true)
  })

  it('waits longer for a lock when it is about one session', async () => {
    const limits: number[] = []
    const commit = new GroupCommit(async (changes, lockTimeoutMs) => {
      limits.push(lockTimeoutMs)
      if (limits.length === 1) throw withState('55P03')
      return new Set(changes.map(({ row }) => row))
    })
    expect(await commit.write(change('a'))).toBe(true)
    expect(limits).toEqual([100, 1_000])
  })
})
