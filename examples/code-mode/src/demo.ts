import { basename } from 'node:path'
import type { AgentRun, ModelDriver } from '@toolgen/runtime/agents'
import { quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { openCassette, scriptedModel } from '@toolgen/runtime/testing'
import { openBookkeeper } from './bookkeeper.js'
import { type ModelEnv, modelOf } from './model.js'
import { inNewOffice } from './office.js'
import { type Print, printRun, printTotals } from './print.js'
import { CALLS, CODE, QUESTION } from './script.js'
import { counted } from './tokens.js'

/** Settings of the demonstration. */
export interface DemoSetting {
  readonly env: ModelEnv
  readonly print: Print
  /** The cassette. Default: the one in this folder, which has the responses of a scripted model. */
  readonly file?: string
}

/** Both runs of the demonstration. */
export interface Runs {
  readonly calls: AgentRun
  readonly code: AgentRun
}

const CASSETTE = 'cassettes/invoices.jsonl'

/** Runs the question twice: with the model that the environment names, or, without one, with the responses in the cassette. */
export async function demo({ env, print, file = CASSETTE }: DemoSetting): Promise<Runs> {
  const driver = modelOf(env)
  if (driver !== undefined) {
    print('Asking a model.\n')
    return compare({ calls: driver, code: driver }, print)
  }
  print(`Replaying ${basename(file)}; set OPENAI_API_KEY or OPENAI_BASE_URL to ask a model.\n`)
  const cassette = await openCassette(file)
  try {
    return await compare({ calls: cassette.driver(), code: cassette.driver() }, print)
  } finally {
    await cassette.close()
  }
}

/** Writes a cassette with the responses of the model that the environment names or, without one, of a scripted model. */
export async function record({ env, print, file = CASSETTE }: DemoSetting): Promise<Runs> {
  print(`Writing ${basename(file)}.\n`)
  const cassette = await openCassette(file, { mode: 'record' })
  try {
    const calls = cassette.driver(modelOf(env) ?? scriptedModel(CALLS))
    const code = cassette.driver(modelOf(env) ?? scriptedModel(CODE))
    return await compare({ calls, code }, print)
  } finally {
    await cassette.close()
  }
}

async function compare(drivers: Readonly<Record<keyof Runs, ModelDriver>>, print: Print): Promise<Runs> {
  // By default, programs share threads that run until the process ends. These threads end with the demonstration.
  const programs = { checker: typescriptChecker(), sandbox: quickJsSandbox() }
  return inNewOffice(async (office) => {
    print(`Question: ${QUESTION}\n`)
    const calls = await openBookkeeper(counted(drivers.calls), office).run(QUESTION)
    printRun('1. The model calls the tools', calls, print)
    const code = await openBookkeeper(counted(drivers.code), office, programs).run(QUESTION)
    printRun('2. The model writes a program', code, print)
    printTotals({ calls, code }, print)
    return { calls, code }
  }).finally(() => Promise.all([programs.checker.close(), programs.sandbox.close()]))
}
