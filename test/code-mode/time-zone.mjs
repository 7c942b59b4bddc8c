import { isolatedVmSandbox, quickJsSandbox } from '@toolgen/runtime/code-mode'

/* Continues a suspended program in the sandbox that the argument names. Its first call had midnight in UTC as an argument. */

const day = Date.UTC(2026, 0, 1)
const limits = { computeMs: 60_000, totalMs: 600_000, calls: 9, parallel: 1, logCharacters: 0, resultCharacters: 1_000 }
const javascript = `async function program() {
  const { day } = await tools.pay({ day: new Date(2026, 0, 1).getTime() })
  const summer = new Date(2026, 6, 1)
  await tools.pay({ day: summer.getTime() })
  return [day, summer.getHours(), summer.getTimezoneOffset(), Date.parse('2026-01-01T00:00:00'), new Date().getHours()]
}`
const first = { path: 'tools.pay', json: JSON.stringify({ day }) }
const second = { path: 'tools.pay', json: JSON.stringify({ day: Date.UTC(2026, 6, 1) }) }
const journal = { calls: [first, second], replies: [{ call: 0, reply: { ok: true, json: first.json } }] }
const program = { javascript, paths: ['tools.pay'], now: day, seed: 1, limits, journal }
const sandbox = process.argv[2] === 'quickJsSandbox' ? quickJsSandbox() : isolatedVmSandbox()
const outcome = await sandbox.run(program, async () => ({ ok: true, json: 'null' }))
console.log(JSON.stringify([new Date(day).getHours(), outcome]))
await sandbox.close()
