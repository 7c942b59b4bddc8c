import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Module that writes the peak memory of the process to a file when the process exits. */
const memoryHook = `import { writeFileSync } from 'node:fs'
const file = process.env.TOOLGEN_PEAK
process.on('exit', () => file && writeFileSync(file, String(process.resourceUsage().maxRSS)))`

/**
 * Runs Node with the arguments in a new process. Returns the CPU seconds (user and system) and wall seconds of the process and its children. Throws
 * if the process fails.
 *
 * @param cwd working directory
 * @param memory true to measure the peak memory of the Node process too (`peakMiB`); this costs some milliseconds of CPU time
 * @param count number of sequential processes; the result is their mean. More processes give a more precise result for short processes, because
 * the shell reports CPU time in hundredths of a second
 */
export function measure(args, { cwd, memory = false, count = 1 }) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgen-measure-'))
  try {
    const peak = join(folder, 'peak')
    const hook = join(folder, 'hook.mjs')
    writeFileSync(hook, memoryHook)
    const script = 'n=$1; shift; while [ $n -gt 0 ]; do "$@" >"$0.out" 2>&1 || exit; n=$((n - 1)); done; times'
    const start = performance.now()
    const child = spawnSync('sh', ['-c', script, join(folder, 'run'), String(count), process.execPath, ...args], {
      cwd,
      encoding: 'utf8',
      env: {
        ...process.env,
        NO_COLOR: '1',
        // Node would load these certificates at each start, which makes all ratios to `node -e 0` smaller.
        NODE_EXTRA_CA_CERTS: '',
        ...(memory && { TOOLGEN_PEAK: peak, NODE_OPTIONS: `--import ${pathToFileURL(hook)}` }),
      },
    })
    const wall = (performance.now() - start) / 1000
    if (child.status !== 0) {
      const output = readFileSync(join(folder, 'run.out'), 'utf8')
      throw new Error(`node ${args.join(' ')} ended with ${child.status}:\n${output.slice(-4000)}`)
    }
    return {
      cpu: childSeconds(child.stdout) / count,
      wall: wall / count,
      ...(memory && { peakMiB: Number(readFileSync(peak, 'utf8')) / 1024 }),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the minimum of each value of several measurements. */
export function minimum(measurements) {
  const keys = Object.keys(measurements[0])
  return Object.fromEntries(keys.map((key) => [key, Math.min(...measurements.map((one) => one[key]))]))
}

/** Returns the CPU seconds of the children. `times` prints user and system time of the shell, then of its children, as `0m1.234s 0m0.056s`. */
function childSeconds(times) {
  const [user, system] = times.trim().split('\n').at(-1).split(' ')
  return seconds(user) + seconds(system)
}

function seconds(text) {
  const [, minutes, rest] = /^(\d+)m([\d.]+)s$/.exec(text)
  return Number(minutes) * 60 + Number(rest)
}
