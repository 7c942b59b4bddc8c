#!/usr/bin/env node
import { existsSync, readFileSync, statSync } from 'node:fs'

const url = (path) => new URL(path, import.meta.url)

/** Checks whether the bundle contains the current code. In a clone of toolgen, the code can be newer than the bundle; `dist` is then used instead. */
function isBundled() {
  if (!existsSync(url('../src'))) return existsSync(url('../bundle/entry.js'))
  try {
    const inputs = Object.entries(JSON.parse(readFileSync(url('../bundle/inputs.json'), 'utf8')))
    return inputs.every(([path, time]) => statSync(url(path)).mtimeMs === time)
  } catch {
    return false
  }
}

const entry = url(isBundled() ? '../bundle/entry.js' : '../dist/cli/entry.js')
if (!existsSync(entry)) {
  console.error('toolgen is not built yet. Run `npm start` in the clone of toolgen first.')
  process.exit(2)
}
const { start } = await import(entry)
await start(process)
