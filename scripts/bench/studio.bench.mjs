// `npm run bench -- studio`: start of `toolgen dev`, calls through the studio, and the page with a long run.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { measure } from '../lib/measure.mjs'
import { forked } from './forked.mjs'
import { atMost, below, skipped } from './report.mjs'
import { inBrowser } from './studio/page.mjs'
import { toolgen } from './workspace.mjs'

export const parts = {
  start: '`toolgen generate`, and `toolgen dev` until it prints the URL, in the example `studio`',
  call: 'a call of a tool: directly, through the HTTP API of the studio, and from its form',
  events: 'the page with a run of 10,000 events',
}

const example = fileURLToPath(new URL('../../examples/studio/', import.meta.url))

/** Measures the parts. Each value is a median. */
export async function benchmark({ parts: chosen, quick, log }) {
  const rows = []
  if (chosen.includes('start')) rows.push(...(await start({ rounds: quick ? 1 : 9, log })))
  if (!chosen.includes('call') && !chosen.includes('events')) return rows
  const server = forked(new URL('studio/server-process.mjs', import.meta.url), [])
  try {
    const { url, run } = await server.message()
    await inBrowser(url, async (page) => {
      // The calls must come last, because they make the studio discard its oldest run.
      if (chosen.includes('events')) rows.push(await events({ run, page, count: quick ? 5 : 50, log }))
      if (chosen.includes('call')) rows.push(...(await calls({ server, page, count: quick ? 5 : 100, log })))
    })
  } finally {
    server.stop()
  }
  return rows
}

async function start({ rounds, log }) {
  log(`${rounds} starts of toolgen dev ...`)
  measure([toolgen, 'generate'], { cwd: example })
  const over = []
  const times = { generate: [], dev: [] }
  for (let round = 0; round < rounds; round += 1) {
    const generate = measure([toolgen, 'generate'], { cwd: example }).wall * 1000
    const dev = await timeUntilUrl()
    times.generate.push(generate)
    times.dev.push(dev)
    over.push(dev - generate)
  }
  const row = { case: 'start', unit: 'ms' }
  return [
    { ...row, contestant: 'toolgen generate', value: median(times.generate) },
    { ...row, contestant: 'toolgen dev', value: median(times.dev) },
    {
      ...row,
      case: 'start, over `toolgen generate`',
      contestant: 'toolgen dev',
      value: median(over),
      aims: [atMost(1500)],
    },
  ]
}

async function timeUntilUrl() {
  const started = performance.now()
  const child = spawn(process.execPath, [toolgen, 'dev', '--no-open', '--port', '0'], {
    cwd: example,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  try {
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.includes('http://127.0.0.1:')) return performance.now() - started
    }
    throw new Error('toolgen dev ended without a URL')
  } finally {
    child.kill()
    await ended
  }
}

async function calls({ server, page, count, log }) {
  log(`${count} calls: directly, through the HTTP API, from the form ...`)
  server.request({ count })
  const { direct, http } = await server.message()
  const form = page === undefined ? undefined : await page.calls(count)
  const row = { case: 'call', unit: 'ms' }
  const over = { ...row, case: 'call, over a direct call' }
  const overDirect = (contestant, times) => ({
    ...over,
    contestant,
    value: times === undefined ? noBrowser : median(times) - median(direct),
    aims: [atMost(20)],
  })
  return [
    { ...row, contestant: 'direct', value: median(direct) },
    { ...row, contestant: 'HTTP API', value: median(http) },
    { ...row, contestant: 'form in Chromium', value: form === undefined ? noBrowser : median(form) },
    overDirect('HTTP API', http),
    overDirect('form in Chromium', form),
  ]
}

async function events({ run, page, count, log }) {
  log('a run of 10,000 events in the page ...')
  const value = page === undefined ? noBrowser : median(await page.openedEntries(run, count))
  return { case: 'run of 10,000 events: open an entry', contestant: 'Chromium', value, unit: 'ms', aims: [below(100)] }
}

const noBrowser = skipped('there is no Chromium')

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
