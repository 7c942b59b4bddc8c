// Runs the scenarios one after the other and prints the results. Started by scripts/conformance.mjs.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { root } from '../lib/run.mjs'
import { scenarios } from './scenarios.mjs'
import { serveTools } from './served-tools.mjs'

const { node, suites } = JSON.parse(process.argv[2])
const folder = mkdtempSync(join(tmpdir(), 'toolgen-conformance-'))
const service = await serveTools()
try {
  const own = {
    server: ['--url', service.url],
    client: ['--command', `'${process.execPath}' scripts/conformance/client.mjs`, '--timeout', '15000'],
  }
  let isRight = true
  for (const suite of suites) {
    const rows = []
    for (const side of ['server', 'client']) {
      for (const name of scenarios[suite.name][side].run) rows.push(await round(suite, side, name, own[side]))
    }
    const unknown = await unknownScenarios(suite)
    print(suite, rows, unknown)
    isRight &&= unknown.length === 0 && rows.every(({ passed }) => passed)
  }
  process.exitCode = isRight ? 0 : 1
} finally {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Runs one scenario. It passes if the suite reports success and at least one successful check. */
async function round(suite, side, name, own) {
  const { version } = scenarios[suite.name]
  const [exempt, reason] = scenarios[suite.name][side].exempt?.[name] ?? []
  const output = join(folder, suite.name, side, name)
  // Without `--force`, the suite skips scenarios of extensions.
  const wanted = version === undefined ? [] : ['--spec-version', version, '--force']
  const { code, said } = await suiteRun(suite, [side, ...own, ...wanted, '--scenario', name, '--output-dir', output])
  const checks = checksIn(output)
  const good = checks.filter(({ status }) => status === 'SUCCESS').length
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  const bad = failed.filter(({ id }) => exempt?.test(id) !== true)
  const left = failed.length - bad.length
  // If exempt checks failed, the suite reports a failure, so its exit code does not count.
  const passed = (code === 0 || left > 0) && bad.length === 0 && good > 0
  const why = bad.map(({ id, errorMessage, description }) => `${id}: ${errorMessage ?? description}`)
  return {
    side,
    name,
    passed,
    checks: `${good}/${good + bad.length}${left === 0 ? '' : ` (${left} not applicable: ${reason})`}`,
    why: why.length > 0 || passed ? why : said.trim().split('\n').slice(0, 5),
  }
}

/** Reads the checks of a scenario. The name of their folder contains the time. A scenario whose name contains a slash has two folders. */
function checksIn(output) {
  try {
    const made = readdirSync(output, { recursive: true }).find((path) => basename(path) === 'checks.json')
    return JSON.parse(readFileSync(join(output, made), 'utf8'))
  } catch {
    // The scenario ended before its checks. The report shows the output of the suite.
    return []
  }
}

async function unknownScenarios(suite) {
  const { version } = scenarios[suite.name]
  const { said } = await suiteRun(suite, ['list'])
  let side = 'server'
  const unknown = []
  for (const line of said.split('\n')) {
    if (line.startsWith('Client')) side = 'client'
    if (line.startsWith('Authorization')) break
    const [, name, versions = ''] = /^ +- (\S+)(?: \[(.*)\])?/.exec(line) ?? []
    if (name === undefined) continue
    // The other suite tests the scenarios of older protocol versions.
    if (version !== undefined && versions !== 'extension' && !versions.includes(version)) continue
    const { run, leftOut } = scenarios[suite.name][side]
    if (!run.includes(name) && !leftOut.some(([pattern]) => pattern.test(name))) unknown.push(`${side} ${name}`)
  }
  return unknown
}

function suiteRun(suite, args) {
  return new Promise((resolve) => {
    const child = spawn(node, [suite.script, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const said = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk))
    child.on('close', (code) => resolve({ code, said: Buffer.concat(said).toString('utf8') }))
  })
}

function print(suite, rows, unknown) {
  const width = Math.max(...rows.map(({ name }) => name.length))
  console.log(`\n@modelcontextprotocol/conformance ${suite.version}\n`)
  for (const { side, name, passed, checks, why } of rows) {
    console.log(`${side}  ${name.padEnd(width)}  ${passed ? 'passed' : 'FAILED'}  ${checks}`)
    for (const line of why) console.log(`          ${line}`)
  }
  console.log('\nnot applicable:')
  for (const side of ['server', 'client']) {
    for (const [{ source }, reason] of scenarios[suite.name][side].leftOut)
      console.log(`${side}  ${source.replace(/[\\^$]/g, '').padEnd(width)}  ${reason}`)
  }
  for (const name of unknown) console.log(`not listed in scenarios.mjs: ${name}`)
  console.log(`\n${rows.filter(({ passed }) => passed).length} of ${rows.length} passed`)
}
