// `npm run packages [-- --only PART,... --json --keep FOLDER]`: packs the packages like a release, checks the tarballs, and uses them in new
// projects. Parts: lint, costs, links, and installers with a major version of Node, such as npm-22. With only the part `pack`, the command packs and
// ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { setUp } from './lib/setup.mjs'
import { table } from './lib/table.mjs'
import { majors } from './packages/nodes.mjs'

const fresh = ['npm', 'pnpm'].flatMap((installer) => majors.map((major) => `${installer}-${major}`))
const parts = ['pack', 'lint', 'costs', 'links', ...fresh]
const { only, json, keep } = args()

await setUp()
const { checkPackages } = await import('./packages/check.mjs')
const folder = keep === undefined ? mkdtempSync(join(tmpdir(), 'toolgen-packages-')) : resolve(keep)
try {
  const result = await checkPackages(folder, only, (line) => console.error(line))
  if (json) console.log(JSON.stringify(result))
  else if (only.every((part) => part === 'pack')) printTarballs(result)
  else print(result)
  process.exitCode = result.problems.length === 0 ? 0 : 1
} finally {
  if (keep === undefined) rmSync(folder, { recursive: true, force: true })
}

function printTarballs({ packages, problems }) {
  console.log(packages.map(({ tarball }) => tarball).join('\n'))
  if (problems.length > 0) console.log(problems.join('\n'))
}

function print({ packages, entries, projects, problems }) {
  console.log(table(packages, ['package', 'version', 'files', 'packed KiB', 'unpacked KiB']))
  const rows = entries.map(({ peers, cpuMs, mib, ...entry }) => {
    return { ...entry, 'CPU ms': cpuMs, MiB: mib, peers: peers.join(' ') }
  })
  console.log(`\n${table(rows, ['entry', 'modules', 'KiB', 'CPU ms', 'MiB', 'peers'])}`)
  if (projects.length > 0) console.log(`\n${table(projects, ['installer', 'node', 'install s', 'all s', 'failed'])}`)
  console.log(problems.length === 0 ? '\nNo problems found.' : `\n${problems.join('\n')}`)
}

function args() {
  const usage = `usage: npm run packages [-- --only ${parts.join('|')},... --json --keep FOLDER]`
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
        keep: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) {
      console.log(usage)
      process.exit(0)
    }
    const chosen = values.only?.split(',') ?? parts
    const unknown = chosen.find((part) => !parts.includes(part))
    if (unknown !== undefined) throw new Error(`There is no part '${unknown}'.`)
    return { ...values, only: chosen }
  } catch (error) {
    console.error(`${error.message}\n${usage}`)
    process.exit(2)
  }
}
