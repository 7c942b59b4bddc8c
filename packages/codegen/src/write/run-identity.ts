import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import type { RunIdentity } from './output-turn.js'

/** This process, as a run of the generator. */
export function thisRun(): RunIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    nonce: randomBytes(8).toString('hex'),
    now: () => Date.now(),
    isAlive,
    pause: () => setTimeout(20 + Math.random() * 60),
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user refuses the signal, but lives.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
