import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from './free-port.mjs'
import { npm, root } from './run.mjs'

/** Version of the server. npm installs it on demand, because the server has 216 MB. */
const VERSION = '1.7.12'

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/** Error if no Restate server can be started. The message contains the reason. */
export class NoRestateError extends Error {
  name = 'NoRestateError'
}

/**
 * Starts a temporary Restate server on free ports of the loopback interface, without telemetry. `stop`, or any end of this process, stops
 * the server and removes its data. `kill` ends it with SIGKILL, and `restart` then starts it again with its ports and data.
 *
 * @throws {NoRestateError} if there is no server for this platform, or if npm cannot install it
 */
export async function startRestate() {
  const { nodes, register, stop } = await startRestateCluster(1)
  const [{ url, adminUrl, kill, restart }] = nodes
  return { url, adminUrl, register, kill, restart, stop }
}

/**
 * Starts a temporary cluster, as `startRestate` starts a server. Each node stores the metadata. With three nodes, two nodes store each journal.
 *
 * @param size number of nodes
 * @throws {NoRestateError} as `startRestate`
 */
export async function startRestateCluster(size) {
  const program = await restateServer()
  const folder = mkdtempSync(join(tmpdir(), 'toolgen-restate-'))
  // Requested in parallel, so that all ports differ.
  const free = await Promise.all(Array.from({ length: 3 * size }, freePort))
  const ports = Array.from({ length: size }, (_, index) => free.slice(3 * index, 3 * index + 3))
  const addresses = ports.map(([port]) => `http://127.0.0.1:${port}/`)
  const nodes = ports.map((_, index) => {
    const config = join(folder, `restate-${index + 1}.toml`)
    writeFileSync(config, configuration(folder, addresses, ports, index))
    const [url, adminUrl] = ports[index].slice(1).map((port) => `http://127.0.0.1:${port}`)
    let server
    const restart = async () => {
      server = await serve(program, config, url, adminUrl)
    }
    return { url, adminUrl, kill: () => server.end('SIGKILL'), end: () => server?.end('SIGTERM'), restart }
  })
  const stop = async () => {
    await Promise.all(nodes.map(({ end }) => end()))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all(nodes.map(({ restart }) => restart()))
  } catch (error) {
    await stop()
    throw error
  }
  return { nodes, register: (address) => register(nodes[0].adminUrl, address), stop }
}

/** Returns the path of the server. npm installs it the first time, without install scripts. Only the package with the executable is installed. */
async function restateServer() {
  const platform = `${process.platform}-${process.arch}`
  if (!PLATFORMS.includes(platform)) {
    throw new NoRestateError(`There is no Restate server for ${platform}, only for ${PLATFORMS.join(', ')}.`)
  }
  const name = `@restatedev/restate-server-${platform}`
  const cache = join(root, 'node_modules', '.cache')
  const folder = join(cache, `toolgen-restate-${VERSION}`)
  const program = join(folder, 'node_modules', name, 'bin', 'restate-server')
  if (existsSync(program)) return program
  console.error(`Installing Restate ${VERSION} ...`)
  mkdirSync(cache, { recursive: true })
  const installed = mkdtempSync(join(cache, 'toolgen-restate-'))
  writeFileSync(join(installed, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${VERSION}`]
  const code = await npm(args, { cwd: installed, stdio: ['ignore', 2, 2] })
  // Another process can have installed the server in the meantime.
  if (code === 0 && !existsSync(program)) renameSync(installed, folder)
  rmSync(installed, { recursive: true, force: true })
  if (!existsSync(program)) throw new NoRestateError(`npm could not install ${name}@${VERSION}.`)
  return program
}

function configuration(folder, addresses, ports, index) {
  const [port, ingress, admin] = ports[index]
  const name = `node-${index + 1}`
  return `
cluster-name = "toolgen"
node-name = "${name}"
base-dir = ${JSON.stringify(join(folder, name))}
auto-provision = ${index === 0}
default-replication = ${Math.min(2, addresses.length)}
listen-mode = "tcp"
bind-ip = "127.0.0.1"
bind-port = ${port}
advertised-address = "${addresses[index]}"
default-num-partitions = 4
disable-telemetry = true
log-filter = "warn"
log-disable-ansi-codes = true
[metadata-client]
addresses = ${JSON.stringify(addresses)}
[ingress]
bind-ip = "127.0.0.1"
bind-port = ${ingress}
[admin]
bind-ip = "127.0.0.1"
bind-port = ${admin}
disable-web-ui = true
`
}

/**
 * Shell script that runs the server in its own process group. When its input ends, which also happens if this process is killed, it ends the
 * server.
 */
const SCRIPT = '"$@" 2>&1 & server=$!; echo "pid $server"; cat >/dev/null; kill -KILL "$server"; wait "$server"'

async function serve(program, config, url, adminUrl) {
  const shell = spawn('sh', ['-c', SCRIPT, 'restate', program, '--no-logo', '--config-file', config], {
    env: { ...process.env, RESTATE_DISABLE_TELEMETRY: 'true' },
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let log = ''
  let isRunning = true
  const ended = new Promise((resolve) => {
    shell.once('error', resolve)
    // Only the server and the script have the other end of this pipe.
    shell.stdout.once('close', resolve)
  }).then(() => {
    isRunning = false
  })
  const started = new Promise((resolve) => {
    shell.stdout.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-10_000)
      const [, pid] = /^pid (\d+)$/m.exec(log) ?? []
      if (pid !== undefined) resolve(Number(pid))
    })
  })
  const end = async (signal) => {
    const pid = await Promise.race([started, ended])
    if (isRunning && pid !== undefined) process.kill(pid, signal)
    // If the server has not ended after a moment, the end of the input kills it.
    if (signal !== 'SIGKILL') await Promise.race([exited(pid), setTimeout(5_000, undefined, { ref: false })])
    shell.stdin.end()
    await ended
  }
  while (isRunning) {
    const healthy = await Promise.all([isHealthy(`${adminUrl}/health`), isHealthy(`${url}/restate/health`)])
    if (healthy.every(Boolean)) return { end }
    await setTimeout(50)
  }
  throw new Error(`The Restate server did not start:\n${log}`)
}

async function exited(pid) {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await setTimeout(20)
  }
}

async function isHealthy(address) {
  try {
    return (await fetch(address)).ok
  } catch {
    return false
  }
}

async function register(adminUrl, address) {
  const response = await fetch(`${adminUrl}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: address, force: true }),
  })
  if (!response.ok) throw new Error(`Restate rejected the workers at ${address}: ${await response.text()}`)
}
