import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockDirectory } from '@toolgen/runtime/postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Locker } from './locker.js'

const isLinux = process.platform === 'linux'

let parent: string
let directory: string
let lockFile: string
let lockers: Locker[]

beforeEach(() => {
  parent = realpathSync(mkdtempSync(join(tmpdir(), 'toolgen-lock-')))
  directory = join(parent, 'database')
  lockFile = `${directory}.lock`
  lockers = []
})

afterEach(async () => {
  await Promise.all(lockers.map((locker) => locker.exit()))
  rmSync(parent, { recursive: true })
})

function locker(): Locker {
  const made = new Locker()
  lockers.push(made)
  return made
}

/** What a lock file says, as far as it matters here. */
interface LockRecord {
  readonly pid: number
  readonly token: string
}

/** What a process of this machine that is gone would have left. */
async function leftBehind(): Promise<LockRecord> {
  const dead = new Locker()
  await dead.lock(directory)
  await dead.kill()
  return JSON.parse(readFileSync(lockFile, 'utf8'))
}

const write = (file: string, record: object): void => writeFileSync(file, JSON.stringify(record))

describe('a locked directory', () => {
  it('is created if it does not exist, and locked with a file next to it', () => {
    const lock = lockDirectory(directory)
    expect(lock).toMatchObject({ directory, file: lockFile })
    expect(readdirSync(directory)).toEqual([])
    lock.release()
    expect(readdirSync(parent)).toEqual(['database'])
  })

  it('is refused to another process, with the owner in the error, until it is released', async () => {
    const [one, other] = [locker(), locker()]
    expect(await one.lock(directory)).toBe('locked')
    expect(await other.lock(directory)).toEqual({
      holder: { pid: one.pid, host: hostname() },
      message: `The directory ${directory} is locked by process ${one.pid} on ${hostname()}. Stop that process, or use another directory.`,
    })
    await one.release(directory)
    expect(await other.lock(directory)).toBe('locked')
  })

  it('is refused to the process that has it already, also by another name', () => {
    const lock = lockDirectory(directory)
    symlinkSync(directory, join(parent, 'link'))
    expect(() => lockDirectory(join(parent, 'link'))).toThrow('locked by this process. Release the first lock')
    lock.release()
    lockDirectory(join(parent, 'link')).release()
  })

  it('is free when its process has exited without a release', async () => {
    const one = locker()
    await one.lock(directory)
    await one.exit()
    expect(existsSync(lockFile)).toBe(false)
  })

  it('stays with its next owner when the one before releases it twice', () => {
    const first = lockDirectory(directory)
    first.release()
    const second = lockDirectory(directory)
    first.release()
    expect(existsSync(lockFile)).toBe(true)
    second.release()
  })

  it('is refused where the lock file says nothing, which names the file', () => {
    mkdirSync(directory)
    writeFileSync(lockFile, '')
    expect(() => lockDirectory(directory)).toThrow(lockFile)
  })
})

describe('a lock whose process is gone', () => {
  it('is taken over after kill -9, and nothing is left of it', async () => {
    await leftBehind()
    expect(await locker().lock(directory)).toBe('locked')
    expect(readdirSync(parent).sort()).toEqual(['database', 'database.lock'])
  })

  it.runIf(isLinux)('is not taken for that of another process with the same pid', async () => {
    const dead = await leftBehind()
    write(lockFile, { ...dead, pid: process.pid })
    lockDirectory(directory).release()
  })

  it.runIf(isLinux)('is taken over after a restart of the system', async () => {
    await leftBehind()
    write(lockFile, { ...ownRecord(), boot: 'an earlier one' })
    lockDirectory(directory).release()
  })

  it.each([
    { where: 'on another machine', changes: { host: 'elsewhere' } },
    ...(isLinux ? [{ where: 'in another container', changes: { pids: 'pid:[1]' } }] : []),
  ])('may still run ($where): it is never taken over', async ({ changes }) => {
    write(lockFile, { ...(await leftBehind()), ...changes })
    expect(() => lockDirectory(directory)).toThrow(`If that process is not running, delete ${lockFile}`)
  })

  it('is taken over, with all they left, from several that died one after another while they took it over', async () => {
    const dead = await leftBehind()
    write(`${lockFile}.after-${dead.token}`, { ...dead, token: 'second' })
    write(`${lockFile}.after-second`, { ...dead, token: 'third' })
    const lock = lockDirectory(directory)
    expect(readdirSync(parent).sort()).toEqual(['database', 'database.lock'])
    lock.release()
  })

  it('is not taken over while another process that lives is about to', async () => {
    const dead = await leftBehind()
    const one = locker()
    await one.lock(join(parent, 'other'))
    const living = JSON.parse(readFileSync(join(parent, 'other.lock'), 'utf8'))
    write(`${lockFile}.after-${dead.token}`, living)
    expect(() => lockDirectory(directory)).toThrow(`process ${one.pid}`)
  })

  it('goes to exactly one of several processes that race for it', async () => {
    const dead = await leftBehind()
    const racers = Array.from({ length: 4 }, locker)
    for (let round = 0; round < 50; round += 1) {
      const contended = join(parent, `race-${round}`)
      write(`${contended}.lock`, dead)
      const answers = await Promise.all(racers.map((racer) => racer.lock(contended)))
      const winners = racers.filter((_, index) => answers[index] === 'locked')
      expect(winners).toHaveLength(1)
      expect(JSON.parse(readFileSync(`${contended}.lock`, 'utf8'))).toMatchObject({ pid: winners[0]?.pid })
    }
    const left = readdirSync(parent).filter((name) => !/^(?:race-\d+|database)(?:\.lock)?$/.test(name))
    expect(left).toEqual([])
  })
})

/** What the lock file of this process says, which is alive. */
function ownRecord(): LockRecord {
  const lock = lockDirectory(join(parent, 'own'))
  try {
    return JSON.parse(readFileSync(lock.file, 'utf8'))
  } finally {
    lock.release()
  }
}
