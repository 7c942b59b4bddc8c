import { appendFileSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { approval, Runtime, tool, toolset } from '@toolgen/runtime'
import { base, signSuspensions, useTools } from '@toolgen/runtime/agents'
import { codeMode } from '@toolgen/runtime/code-mode'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'

/*
 * One life of a process that runs a program. It starts the program, or continues it with answers to some of the calls that wait. When calls
 * wait again, it stores the suspension, and lives until it is killed. Effects and claims are in files that outlive the process.
 */

/** @type {import('./kill-rounds.js').LifeOptions} */
const { folder, state, code, seed, ends } = JSON.parse(process.argv[2] ?? '')
let last = seed
/** Random numbers below `limit`. */
const random = (limit) => {
  last = (Math.imul(last, 1664525) + 1013904223) >>> 0
  return Math.floor((last / 2 ** 32) * limit)
}

const claims = {
  claim: async (id) => {
    try {
      openSync(join(folder, `claim-${id}`), 'wx')
      return true
    } catch {
      return false
    }
  },
}
const runtime = new Runtime({ claims, suspensions: signSuspensions({ key: 'k'.repeat(32) }) })
const parameters = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
const effect = (name) =>
  tool({
    name,
    description: 'Writes a line.',
    parameters,
    run: async ({ id }) => {
      await delay(random(4))
      appendFileSync(join(folder, 'effects.txt'), `${name} ${id}\n`)
      return id
    },
  })
const desk = runtime
  .registerAgent({ name: 'desk', description: 'Sells.' }, [toolset('shop', effect('find'), effect('buy'))], {})
  .layer(approval({ when: ({ tool }) => tool.name === 'buy' }))
const model = scriptedModel(
  state === 0
    ? [calls({ tool: 'run_program', arguments: { code } })]
    : [({ messages }) => says(String(messages.at(-1)?.content))],
)
const agent = base(model)
  .with(useTools(codeMode(desk)))
  .build()
const clerk = runtime.registerAgent({ name: 'clerk', description: 'Helps.' }, [], { agent })
const env = { approval: { approve: async () => 'suspend' } }
const run = await (state === 0 ? clerk.run('Buy.', { env }) : resumed())

if (run.suspension !== undefined) {
  const file = join(folder, `state-${state + 1}.json`)
  writeFileSync(`${file}.new`, JSON.stringify(run.suspension))
  renameSync(`${file}.new`, file)
  report({ status: 'waiting' })
  if (!ends) setInterval(() => undefined, 60_000)
} else if (run.error?.cause?.code === 'already_resumed') report({ status: 'refused' })
else report({ status: 'ended', text: run.result?.text ?? run.error?.message ?? run.status })

function resumed() {
  const suspension = JSON.parse(readFileSync(join(folder, `state-${state}.json`), 'utf8'))
  const first = random(suspension.pending.length)
  const answered = suspension.pending.filter((_, index) => index === first || random(2) === 0)
  const answers = answered.map(({ id, arguments: sent }) => [id, sent.includes('denied') ? 'deny' : 'approve'])
  return clerk.resume(suspension, Object.fromEntries(answers), { env })
}

function report(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
