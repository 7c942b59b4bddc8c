#!/usr/bin/env node
// `npm create toolgen ARGUMENTS` runs `toolgen init ARGUMENTS`.
import { createRequire } from 'node:module'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

const args = process.argv.slice(2)
// After `--`, the arguments are the command of an MCP server.
const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
if (own.includes('-h') || own.includes('--help')) {
  // Replaces the name of the command in the help text of `toolgen init`.
  const { stdout } = process
  const write = stdout.write.bind(stdout)
  stdout.write = (text, ...rest) => write(String(text).replaceAll('toolgen init', 'create-toolgen'), ...rest)
}
process.argv.splice(2, 0, 'init')
const require = createRequire(import.meta.url)
const manifest = require.resolve('@toolgen/codegen/package.json')
await import(new URL('bin/toolgen.js', pathToFileURL(manifest)).href)
