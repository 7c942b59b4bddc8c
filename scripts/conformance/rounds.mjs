// Runs the scenarios one after the other and prints what became of them; started by scripts/conformance.mjs.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../lib/run.mjs'
import { scenarios } from './scenarios.mjs'
import { serveTools } from './served-tools.mjs'

const suite = JSON.parse(process.argv[2])
const folder = mkdtempSync(join(tmpdir(), 'toolgen-conformance-'))
const service = await serveTools()
try {
  const own = {
    server: ['--url', service.url],
    client: ['--command', `'${process.execPath}' scripts/conformance/client.mjs`, '--timeout', '15000'],
  }
  const rows = []
  for (const [side, { run }] of Object.entries(scenarios)) {
    for (const name of run) rows.push(await round(side, name, own[side]))
  }
  const unknown = await unknownScenarios()
  print(rows, unknown)
  process.exitCode = unknown.length === 0 && rows.every(({ passed }) => passed) ? 0 : 1
} finally {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
}

/** One scenario, passed where the suite says so and has checked anything. */
async function round(side, name, own) {
  const output = join(folder, side, name)
  const { code, said } = await suiteRun([side, ...own, '--scenario', name, '--output-dir', output])
  const checks = checksIn(output)
  const count = (status) => checks.filter((check) => check.status === status).length
  const good = count('SUCCESS')
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  const passed = code === 0 && bad.length === 0 && good > 0
  const why = bad.map(({ id, errorMessage, description }) => `${id}: ${errorMessage ?? description}`)
  return {
    side,
    name,
    passed,
    checks: `${good}/${good + bad.length}`,
    why: why.length > 0 || passed ? why : said.trim().split('\n').slice(0, 5),
  }
}

/** The suite writes into a folder with the time in its name. */
function checksIn(output) {
  try {
    const [made] = readdirSync(output)
    return JSON.parse(readFileSync(join(output, made, 'checks.json'), 'utf8'))
  } catch {
    // A scenario that did not get so far: what the suite said is shown.
    return []
  }
}

async function unknownScenarios() {
  const { said } = await suiteRun(['list'])
  let side = 'server'
  const unknown = []
  for (const line of said.split('\n')) {
    if (line.startsWith('Client')) side = 'client'
    const [, name] = /^ +- (\S+)/.exec(line) ?? []
    if (name === undefined) continue
    const { run, leftOut } = scenarios[side]
    if (!run.includes(name) && !leftOut.some(([pattern]) => pattern.test(name))) unknown.push(`${side} ${name}`)
  }
  return unknown
}

function suiteRun(args) {
  return new Promise((resolve) => {
    const child = spawn(suite.node, [suite.script, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const said = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk))
    child.on('close', (code) => resolve({ code, said: Buffer.concat(said).toString('utf8') }))
  })
}

function print(rows, unknown) {
  const width = Math.max(...rows.map(({ name }) => name.length))
  console.log(`@modelcontextprotocol/conformance ${suite.version}\n`)
  for (const { side, name, passed, checks, why } of rows) {
    console.log(`${side}  ${name.padEnd(width)}  ${passed ? 'passed' : 'FAILED'}  ${checks}`)
    for (const line of why) console.log(`          ${line}`)
  }
  console.log('\nleft out:')
  for (const [side, { leftOut }] of Object.entries(scenarios)) {
    for (const [{ source }, reason] of leftOut)
      console.log(`${side}  ${source.replace(/[\\^$]/g, '').padEnd(width)}  ${reason}`)
  }
  for (const name of unknown) console.log(`neither run nor left out: ${name}`)
  console.log(`\n${rows.filter(({ passed }) => passed).length} of ${rows.length} passed`)
}
