import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { aimText, reportTable, rowsOf, valueText } from './report.mjs'

const options = {
  only: { type: 'string', multiple: true },
  without: { type: 'string', multiple: true },
  rounds: { type: 'string' },
  quick: { type: 'boolean' },
  json: { type: 'boolean' },
  enforce: { type: 'boolean' },
  help: { type: 'boolean' },
}

/** Names of the benchmarks: the files `*.bench.mjs`. */
const names = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.bench.mjs'))
  .map((file) => file.replace('.bench.mjs', ''))
  .sort()

/** Error in the command line. The message lists the allowed values. */
class UsageError extends Error {
  name = 'UsageError'
}

/**
 * Runs a benchmark and prints its rows. Resolves with the exit code: 0 for success, 1 if `--enforce` finds a missed aim, 2 for an invalid command
 * line.
 *
 * A benchmark module exports
 * - `parts`: an object from the name of each part to its description;
 * - `optional` (if it has contestants that users can leave out): an array of the values of `--without`;
 * - `defaultRounds` (if users can set a number of rounds): the default of `--rounds`;
 * - `benchmark({ parts, without, rounds, quick, log })`: measures the parts and resolves with measurements (see `rowsOf`), or with
 *   `{ measurements, details }`. The command prints each item of the array `details` as a line of JSON before the table. Throws if a
 *   contestant returns a wrong result.
 *
 * @param argv arguments after `npm run bench --`
 * @param setUp installs and builds; called after the arguments have been checked
 * @param load imports the module of a benchmark
 * @param print prints the report
 * @param log prints progress and errors
 */
export async function main(
  argv,
  {
    setUp = async () => undefined,
    load = (name) => import(`./${name}.bench.mjs`),
    print = console.log,
    log = console.error,
  } = {},
) {
  const request = await parsed(argv, load).catch((error) => {
    if (error instanceof UsageError) return { usageError: error.message }
    throw error
  })
  if (request.usageError !== undefined) {
    log(request.usageError)
    return 2
  }
  if (request.help !== undefined) {
    print(request.help)
    return 0
  }
  await setUp()
  const { name, benchmark, settings, json, enforce } = request
  const result = await benchmark({ ...settings, log })
  const { measurements, details = [] } = Array.isArray(result) ? { measurements: result } : result
  const rows = rowsOf(measurements)
  if (json) print(JSON.stringify({ name, rows, ...(details.length > 0 && { details }) }))
  else print([...details.map((detail) => JSON.stringify(detail)), reportTable(rows)].join('\n'))
  if (settings.quick) return 0
  const missed = rows.filter(({ met }) => met === false)
  for (const row of missed)
    log(`missed: ${row.case}, ${row.contestant}: ${valueText(row)}, aim ${aimText(row.aim)}${ratioText(row)}`)
  return enforce && missed.length > 0 ? 1 : 0
}

const ratioText = ({ aim, ratio }) => (aim.quantity === 'ratio' && ratio !== null ? `, ratio ${ratio.toFixed(3)}` : '')

async function parsed(argv, load) {
  const { tokens, values, positionals } = parseArgs({
    args: argv,
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens.filter(({ kind }) => kind === 'option')) requireKnownOption(token)
  const [name, ...others] = positionals
  if (name === undefined && values.help)
    return { help: `usage: npm run bench -- NAME [--help]\nNAME: ${names.join(', ')}` }
  if (name === undefined) throw new UsageError(`Name a benchmark: npm run bench -- ${names.join('|')}`)
  if (!names.includes(name)) throw new UsageError(`Unknown benchmark: ${name}. Allowed: ${names.join(', ')}`)
  if (others.length > 0)
    throw new UsageError(`Unexpected argument: ${others[0]}. To run parts, use --only ${others.join(',')}`)
  const { parts, optional = [], defaultRounds, benchmark } = await load(name)
  if (values.help) return { help: helpText(name, parts, optional, defaultRounds) }
  if (values.enforce && values.quick)
    throw new UsageError('--enforce needs full measurements. Remove --quick, whose figures have no meaning.')
  const settings = {
    parts: chosen('--only', values.only, Object.keys(parts)) ?? Object.keys(parts),
    without: chosen('--without', values.without, optional) ?? [],
    rounds: countOf('--rounds', values.rounds, defaultRounds),
    quick: values.quick === true,
  }
  return { name, benchmark, settings, json: values.json === true, enforce: values.enforce === true }
}

function requireKnownOption({ name, rawName, value }) {
  const option = Object.hasOwn(options, name) ? options[name] : undefined
  const allowed = Object.keys(options).map((key) => `--${key}`)
  if (option === undefined) throw new UsageError(`Unknown option: ${rawName}. Allowed: ${allowed.join(', ')}`)
  if (option.type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} has no value.`)
}

/** Returns the values of an option with a comma-separated list, in the order of `allowed`. Returns `undefined` without the option. */
function chosen(option, lists, allowed) {
  if (lists === undefined) return undefined
  if (allowed.length === 0) throw new UsageError(`This benchmark has no option ${option}.`)
  const values = lists.flatMap((list) => (typeof list === 'string' ? list.split(',') : ['']))
  const unknown = values.filter((value) => !allowed.includes(value))
  if (unknown.length > 0)
    throw new UsageError(`Unknown value of ${option}: ${unknown.join(', ')}. Allowed: ${allowed.join(', ')}`)
  return allowed.filter((value) => values.includes(value))
}

function countOf(option, value, standard) {
  if (value === undefined) return standard
  if (standard === undefined) throw new UsageError(`This benchmark has no option ${option}.`)
  const count = Number(value)
  if (!(Number.isInteger(count) && count > 0)) throw new UsageError(`${option} must be a positive integer.`)
  return count
}

function helpText(name, parts, optional, defaultRounds) {
  const width = Math.max(...Object.keys(parts).map((part) => part.length))
  const without = optional.length === 0 ? '' : ' [--without VALUE,...]'
  const rounds = defaultRounds === undefined ? '' : ' [--rounds N]'
  return [
    `usage: npm run bench -- ${name} [--only PART,...]${without}${rounds} [--quick] [--json] [--enforce]`,
    '',
    'Parts:',
    ...Object.entries(parts).map(([part, description]) => `  ${part.padEnd(width)}  ${description}`),
    ...(optional.length === 0 ? [] : ['', `Values of --without: ${optional.join(', ')}`]),
    ...(defaultRounds === undefined ? [] : ['', `--rounds N  Number of rounds. Default: ${defaultRounds}.`]),
    '',
    '--quick    Run everything only briefly, to check that it runs. The figures have no meaning.',
    '--json     Print the rows as JSON (schema: scripts/bench/README.md).',
    '--enforce  Exit with 1 if a row misses its aim.',
  ].join('\n')
}
