import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WatchedState } from './changes.js'

let root: string
let gen: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'toolgen-watch-')))
  gen = join(root, 'gen')
})
afterEach(() => rmSync(root, { recursive: true }))

/** Returns the state after a run that could not write `gen/tools/index.ts`. */
function afterRefusedRun(): WatchedState {
  const state = new WatchedState()
  state.learn({ files: [], folders: [], outputFolder: gen }, Date.now())
  state.leave(new Map([[join(gen, 'tools/index.ts'), '']]), { isWritten: false })
  return state
}

it.each<[string, string, (path: string) => void]>([
  ['a file in the place of the output folder', '', (path) => writeFileSync(path, 'x')],
  ['a link in the place of the output folder', '', (path) => symlinkSync(root, path)],
  ['a file in the place of a folder of the output', 'tools', (path) => writeFileSync(path, 'x')],
])('sees that %s is gone', (_, below, put) => {
  const obstacle = join(gen, below)
  mkdirSync(join(obstacle, '..'), { recursive: true })
  put(obstacle)
  const state = afterRefusedRun()
  expect(state.changed([obstacle])).toEqual([])
  rmSync(obstacle)
  expect(state.changed([obstacle])).toEqual([obstacle])
  mkdirSync(obstacle)
  expect(state.changed([obstacle])).toEqual([])
})
