// One contestant in its own process: runs programs for the parent. Arguments: URL of the contestant, URL of the module with sample results.
import { setTimeout as sleep } from 'node:timers/promises'

const [contestant, samples] = process.argv.slice(2)
const { name, pathOf, prepare } = await import(contestant)
const answer = { mutants, time }
let calls = 0

process.on('message', async ({ type, ...request }) => {
  try {
    process.send({ result: await answer[type](request) })
  } catch (error) {
    process.send({ error: error.stack })
  }
})
process.send({ name })

/** Runs programs. Returns the outcome and the number of calls of each. */
async function mutants({ specs, codes }) {
  // This version of Node removes the types.
  const { resultOf } = await import(samples)
  const programs = prepare(specs, (spec, args) => {
    calls += 1
    return resultOf(`${spec.toolset}.${spec.name}`, spec.result, args)
  })
  // The programs use the tool names of toolgen, so a header defines them.
  const header = [...new Set(specs.map(({ toolset }) => toolset))].map((toolset) => {
    const members = specs.filter((each) => each.toolset === toolset)
    const functions = members.map((each) => `${identifier(each.name)}: (args = {}) => ${pathOf(each)}(args)`)
    return `const ${toolset} = { ${functions.join(', ')} }\n`
  })
  const outcomes = []
  for (const code of codes) {
    calls = 0
    const { ok, message, value } = await programs.run(header.join('') + code)
    outcomes.push({ ok, calls, message: message?.slice(0, 300), value })
  }
  return outcomes
}

const identifier = (text) => text.replaceAll(/\W+/g, '_')

const step = {
  toolset: 'bench',
  name: 'step',
  description: 'Adds one.',
  arguments: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false },
  result: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
}

/** Measured programs and their expected values. `count` is the number of calls. */
const works = {
  empty: { code: () => 'return 1', value: () => 1 },
  sequential: {
    code: (path, count) => `let n = 0\nfor (let i = 0; i < ${count}; i++) n = (await ${path}({ n })).n\nreturn n`,
    value: (count) => count,
  },
  parallel: {
    code: (path, count) =>
      `const all = await Promise.all(Array.from({ length: ${count} }, (_, n) => ${path}({ n })))\nreturn all.reduce((sum, { n }) => sum + n, 0)`,
    value: (count) => (count * (count + 1)) / 2,
  },
}

let programs
let toolMs = 0

/**
 * Runs a program `rounds` times. Returns the milliseconds of each round. For the workload `direct`, makes the calls without a program. Each call of the
 * tool takes `waitMs`.
 */
async function time({ work, count, rounds, waitMs = 0 }) {
  toolMs = waitMs
  programs ??= prepare([step], (_, { n }) => (toolMs === 0 ? { n: n + 1 } : sleep(toolMs, { n: n + 1 })))
  const times = []
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now()
    const value = work === 'direct' ? await direct(count) : await ran(works[work].code(pathOf(step), count))
    times.push(performance.now() - started)
    const expected = work === 'direct' ? count : works[work].value(count)
    if (value !== expected) throw new Error(`${name}: ${work} returned ${JSON.stringify(value)}, not ${expected}`)
  }
  return times
}

async function direct(count) {
  let n = 0
  for (let at = 0; at < count; at += 1) n = (await programs.direct(step, { n })).n
  return n
}

async function ran(code) {
  const { ok, message, value } = await programs.run(code)
  if (!ok) throw new Error(`${name}: ${message}`)
  return value
}
