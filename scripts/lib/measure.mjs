import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Runs Node with the arguments as a process of its own and measures it with all its children: CPU seconds (user and
 * system, by the shell's `times`), wall seconds, and the peak memory of the Node process in MiB. Throws when it fails.
 */
export function measure(args, { cwd }) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgen-measure-'))
  try {
    const peak = join(folder, 'peak')
    const hook = join(folder, 'hook.mjs')
    writeFileSync(
      hook,
      `import { writeFileSync } from 'node:fs'
       const file = process.env.TOOLGEN_PEAK
       process.on('exit', () => file && writeFileSync(file, String(process.resourceUsage().maxRSS)))`,
    )
    const start = performance.now()
    const child = spawnSync(
      'sh',
      ['-c', '"$@" >"$0.out" 2>&1; code=$?; times; exit $code', join(folder, 'run'), process.execPath, ...args],
      {
        cwd,
        encoding: 'utf8',
        env: { ...process.env, TOOLGEN_PEAK: peak, NODE_OPTIONS: `--import ${pathToFileURL(hook)}`, NO_COLOR: '1' },
      },
    )
    const wall = (performance.now() - start) / 1000
    const output = readFileSync(join(folder, 'run.out'), 'utf8')
    if (child.status !== 0)
      throw new Error(`node ${args.join(' ')} ended with ${child.status}:\n${output.slice(-4000)}`)
    return { cpu: childSeconds(child.stdout), wall, peakMiB: Number(readFileSync(peak, 'utf8')) / 1024, output }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The median of several measurements, figure by figure. */
export function median(measurements) {
  const middle = (key) => measurements.map((one) => one[key]).sort((a, b) => a - b)[Math.floor(measurements.length / 2)]
  return { cpu: middle('cpu'), wall: middle('wall'), peakMiB: middle('peakMiB') }
}

/** `times` prints two lines: the shell's own and its children's user and system time, as `0m1.234s 0m0.056s`. */
function childSeconds(times) {
  const [user, system] = times.trim().split('\n').at(-1).split(' ')
  return seconds(user) + seconds(system)
}

function seconds(text) {
  const [, minutes, rest] = /^(\d+)m([\d.]+)s$/.exec(text)
  return Number(minutes) * 60 + Number(rest)
}
