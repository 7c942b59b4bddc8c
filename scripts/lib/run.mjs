import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The repository's root. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The pnpm of this repository; npm fetches it where it is not on the machine. */
export const pnpmVersion = '10.34.8'

/**
 * Runs a command with the terminal attached and resolves with its exit code; a command that cannot be started counts
 * as 127, one that a signal ended as 1.
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
    child.on('error', () => resolve(127))
    child.on('close', (code) => resolve(code ?? 1))
  })
}

/** Runs a script with this Node. */
export const node = (args, options) => run(process.execPath, args, options)

/** Runs npm: the very one that started this script, else the one on the PATH. */
export function npm(args, options) {
  const cli = process.env.npm_execpath
  if (cli?.endsWith('.js') && /npm-cli\.js$/.test(cli)) return node([cli, ...args], options)
  return run('npm', args, { shell: process.platform === 'win32', ...options })
}

/** Runs pnpm, in the version of this repository. */
export const pnpm = (args, options) => npm(['exec', '--yes', `pnpm@${pnpmVersion}`, '--', ...args], options)
