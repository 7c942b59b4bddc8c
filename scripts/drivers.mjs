// `npm run drivers`: runs the scenarios of test/drivers with every model driver and prints a table of the results.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { node } from './lib/run.mjs'
import { table } from './lib/table.mjs'

if (process.argv.length > 2) {
  console.error('usage: npm run drivers')
  process.exit(2)
}

const folder = await mkdtemp(join(tmpdir(), 'toolgen-drivers-'))
try {
  const file = join(folder, 'report.json')
  const env = { ...process.env, TOOLGEN_TEST_SOURCES: '1' }
  const reporter = ['--reporter=json', `--outputFile=${file}`]
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', 'test/drivers/drivers.test.ts', ...reporter]
  const code = await node(vitest, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const report = JSON.parse(await readFile(file, 'utf8'))
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  if (results.length === 0) throw new Error('No scenario ran. See: npm run test:quick -- test/drivers')
  print(results)
  process.exitCode = code
} finally {
  await rm(folder, { recursive: true })
}

function print(results) {
  const drivers = [...new Set(results.map(driverOf))]
  const scenarios = [...new Set(results.map(({ title }) => title))]
  const resultOf = (scenario, driver) => results.find((each) => each.title === scenario && driverOf(each) === driver)
  const rows = scenarios.map((scenario) => ({
    scenario,
    ...Object.fromEntries(drivers.map((driver) => [driver, wordOf(resultOf(scenario, driver))])),
  }))
  console.log(table(rows, ['scenario', ...drivers]))
  const count = (status) => results.filter((each) => each.status === status).length
  console.log(`\n${count('passed')} passed, ${count('failed')} failed. Each scenario runs with and without streaming.`)
  console.log('-: the API does not have this feature.')
  for (const { ancestorTitles, title, failureMessages } of results.filter(({ status }) => status === 'failed')) {
    console.log(`\n${driverOf({ ancestorTitles })}: ${title}\n${failureMessages.join('\n')}`)
  }
}

function driverOf({ ancestorTitles }) {
  return ancestorTitles[0].replaceAll("'", '')
}

function wordOf(result) {
  return { passed: 'ok', failed: 'FAILED' }[result?.status] ?? '-'
}
