import { spawnSync } from 'node:child_process'

/** Processes without a network but their own loopback; they all end with the first of them. */
const UNSHARE = ['--user', '--map-root-user', '--net', '--pid', '--fork', '--kill-child', '--']

/** Runs the rest of the line with the loopback up. */
const UP = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh']

/** Whether this machine and this user can have a namespace. */
export function hasNamespaces() {
  return spawnSync('unshare', [...UNSHARE, ...UP, 'true'], { stdio: 'ignore' }).status === 0
}

/** A command line that runs another one in a namespace of its own. */
export function inNamespace(command, args) {
  return ['unshare', [...UNSHARE, ...UP, command, ...args]]
}
