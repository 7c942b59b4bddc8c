#!/usr/bin/env node
import module from 'node:module'
import process from 'node:process'

// Node 22 and later keep what they compiled. Imported only then, so that it is kept as well.
module.enableCompileCache?.()
const { start } = await import('../dist/cli/entry.js')
await start(process)
