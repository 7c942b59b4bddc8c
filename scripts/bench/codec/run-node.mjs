import { spawnSync } from 'node:child_process'

/** Runs Node with the arguments to its end; throws with its output when it fails. */
export function runNode(args, { cwd }) {
  const child = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } })
  if (child.status === 0) return
  throw new Error(`node ${args.join(' ')} ended with ${child.status}:\n${child.stdout}${child.stderr}`.slice(0, 4000))
}
