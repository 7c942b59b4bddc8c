import { describe, expect, it } from 'vitest'
import { type Change, GroupCommit } from './group-commit.js'

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

  it('are parted where they are too many or too long', async () => {
    const database = new SlowDatabase()
    const commit = new GroupCommit(database.write)
    const many = Array.from({ length: 300 }, (_, index) => change(`many ${index}`))
    const long = [change('long 1', ' '.repeat(3_000_000)), change('long 2', ' '.repeat(9_000_000)), change('short')]
    const all = Promise.all([...many, ...long].map((one) => commit.write(one)))
    for (const number of [1, 2, 3]) (await database.statement(number)).end()
    await all
    expect(database.statements.map(({ rows }) => rows.length)).toEqual([256, 46, 1])
    expect(database.statements[2]?.rows).toEqual(['long 2'])
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

  it.each(['22P05', '54000'])('fails only for the row that the database cannot hold (%s)', async (state) => {
    const refused = withState(state)
    const commit = new GroupCommit(async (changes) => {
      if (changes.some(({ row }) => row === 'bad')) throw refused
      return new Set(changes.map(({ row }) => row))
    })
    const all = await Promise.allSettled(['a', 'b', 'bad', 'c', 'd'].map((row) => commit.write(change(row))))
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(all[2]).toEqual({ status: 'rejected', reason: refused })
  })
})
