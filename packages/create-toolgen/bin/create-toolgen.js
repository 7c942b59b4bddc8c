#!/usr/bin/env node
// `npm create toolgen` runs `toolgen init` with its arguments.
import { createRequire } from 'node:module'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

if (['--help', '-h'].some((flag) => process.argv.includes(flag))) {
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = (text, ...more) => write(String(text).replaceAll('toolgen init', 'create-toolgen'), ...more)
}
process.argv.splice(2, 0, 'init')
const require = createRequire(import.meta.url)
const manifest = require.resolve('@toolgen/codegen/package.json')
await import(new URL('bin/toolgen.js', pathToFileURL(manifest)).href)
