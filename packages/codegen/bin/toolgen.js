#!/usr/bin/env node
// CommonJS, because starting an ES module takes a third of the time of `toolgen --help`.
const { existsSync, readFileSync, statSync } = require('node:fs')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

const path = (name) => join(__dirname, name)
const args = process.argv.slice(2)
const bundled = isBundled()
const help = bundled ? preparedHelp() : undefined
if (help === undefined) start(path(bundled ? '../bundle/entry.js' : '../dist/cli/entry.js'))
else {
  // Closing the pipe, as `head` does, is not an error.
  process.stdout.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 0 : 2))
  process.stdout.write(help)
}

/** Checks whether the bundle contains the current code. In a clone of toolgen, the code can be newer than the bundle; `dist` is then used instead. */
function isBundled() {
  if (!existsSync(path('../src'))) return existsSync(path('../bundle/entry.js'))
  try {
    const inputs = Object.entries(JSON.parse(readFileSync(path('../bundle/inputs.json'), 'utf8')))
    return inputs.every(([name, time]) => statSync(path(name)).mtimeMs === time)
  } catch {
    return false
  }
}

/** Returns a text of the bundle, because loading the commands is slow. The texts have a width of 80 columns. */
function preparedHelp() {
  if (!/^-/.test(args.at(-1) ?? '')) return undefined
  const text = JSON.parse(readFileSync(path('../bundle/help.json'), 'utf8'))[args.join('\0')]
  return (process.stdout.columns ?? 80) === 80 || args[0] === '--version' ? text : undefined
}

function start(entry) {
  if (existsSync(entry)) return void import(pathToFileURL(entry)).then((module) => module.start(process))
  console.error('toolgen is not built yet. Run `npm start` in the clone of toolgen first.')
  process.exit(2)
}
