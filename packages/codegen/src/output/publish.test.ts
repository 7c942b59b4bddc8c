import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { nodeDisk } from '../files.js'
import { memoryDisk } from './memory-disk.fixture.js'
import { claimName, type RunIdentity, takeTurn, thisRun } from './publish.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolgen-turn-')).replaceAll('\\', '/')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('only one of many runs has the turn at any time, and all get theirs', async () => {
  let inside = 0
  const work = async (): Promise<void> => {
    const turn = await takeTurn(nodeDisk, `${folder}/a/gen`, thisRun())
    if (turn.kind === 'busy') expect.fail('gave up')
    inside += 1
    expect(inside).toBe(1)
    await setTimeout(3)
    expect(inside).toBe(1)
    inside -= 1
    expect(turn.end()).toEqual([])
  }
  await Promise.all(Array.from({ length: 12 }, work))
  expect(readdirSync(folder)).toEqual([])
})

it('does not wait for runs that died, on this machine or long ago on another', async () => {
  const run = thisRun()
  const old = { nonce: 'dead', host: run.host, pid: 2 ** 30, startedAt: run.now() }
  const elsewhere = { nonce: 'far', host: 'elsewhere', pid: 1, startedAt: run.now() - 3_600_000 }
  nodeDisk.makeFolder(`${folder}/.toolgen`)
  for (const owner of [old, elsewhere]) writeFileSync(`${folder}/.toolgen/${claimName(owner)}`, '')
  const turn = await takeTurn(nodeDisk, folder, run)
  if (turn.kind === 'busy') expect.fail('waited for the dead')
  expect(readdirSync(`${folder}/.toolgen`)).toHaveLength(1)
  turn.end()
  expect(readdirSync(folder)).toEqual([])
})

it('gives up after ten seconds behind a living run, and names it', async () => {
  let now = 1_000_000
  const run: RunIdentity = {
    pid: 7,
    host: 'here',
    nonce: 'abc',
    now: () => now,
    isAlive: () => true,
    pause: async () => {
      now += 50
    },
  }
  const rival = { startedAt: now, pid: 8, host: 'here', nonce: 'rival' }
  const disk = memoryDisk({ [`gen/.toolgen/${claimName(rival)}`]: '' })
  const before = disk.tree()
  expect(await takeTurn(disk, 'gen', run)).toEqual({ kind: 'busy', owner: rival })
  expect(now - 1_000_000).toBeGreaterThan(10_000)
  expect(disk.tree()).toEqual(before)
})
