#!/usr/bin/env node
// `npm create toolgen` runs `toolgen init` with its arguments.
import { createRequire } from 'node:module'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

process.argv.splice(2, 0, 'init')
const require = createRequire(import.meta.url)
const manifest = require.resolve('@toolgen/codegen/package.json')
await import(new URL('bin/toolgen.js', pathToFileURL(manifest)).href)
