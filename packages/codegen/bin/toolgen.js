#!/usr/bin/env node
import { existsSync } from 'node:fs'
import module from 'node:module'
import process from 'node:process'

const entry = new URL('../dist/cli/entry.js', import.meta.url)
if (!existsSync(entry)) {
  console.error('toolgen is not built yet. Run `npm start` in the clone of toolgen first.')
  process.exit(2)
}
// Node 22 and later cache compiled code of modules that are imported after this call.
module.enableCompileCache?.()
const { start } = await import(entry)
await start(process)
