import { spawnSync } from 'node:child_process'

/** Options of `unshare`: no network except an own loopback interface. All processes end with the first one. */
const UNSHARE = ['--user', '--map-root-user', '--net', '--pid', '--fork', '--kill-child', '--']

/** Enables the loopback interface, then runs the rest of the command line. */
const UP = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh']

/** Checks that this user can create a network namespace. */
export function hasNamespaces() {
  return spawnSync('unshare', [...UNSHARE, ...UP, 'true'], { stdio: 'ignore' }).status === 0
}

/** Returns a command line that runs a command in a new namespace. */
export function inNamespace(command, args) {
  return ['unshare', [...UNSHARE, ...UP, command, ...args]]
}
