import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Root folder of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Version of pnpm for this repository. npm downloads it if necessary. */
export const pnpmVersion = '10.34.8'

/** Runs a command in the terminal and resolves with its exit code: 127 if the command cannot be started, 1 if a signal ended it. */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
    child.on('error', () => resolve(127))
    child.on('close', (code) => resolve(code ?? 1))
  })
}

/** Runs a script with the current Node executable. */
export const node = (args, options) => run(process.execPath, args, options)

/** Runs npm: the one that started this script, or else the one in the PATH. */
export function npm(args, options) {
  const cli = process.env.npm_execpath
  if (cli?.endsWith('.js') && /npm-cli\.js$/.test(cli)) return node([cli, ...args], options)
  return run('npm', args, { shell: process.platform === 'win32', ...options })
}

/** Runs pnpm, in the version of this repository. */
export const pnpm = (args, options) => npm(['exec', '--yes', `pnpm@${pnpmVersion}`, '--', ...args], options)
