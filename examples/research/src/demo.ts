import { basename } from 'node:path'
import { type RunConfig, type RuntimeOptions, runConfig } from '@toolgen/runtime'
import type { AgentRun, ModelDriver } from '@toolgen/runtime/agents'
import { type Cassette, openCassette, scriptedModel } from '@toolgen/runtime/testing'
import { openAgents } from './agents.js'
import { ArchiveClient } from './archive-client.js'
import { clerk } from './clerk.js'
import { converse } from './conversation.js'
import { type ModelEnv, modelOf } from './model.js'
import { OrdersClient } from './orders-client.js'
import { QUESTION, SCRIPT } from './script.js'
import type { Print } from './transcript.js'

/** Settings of the demonstration. */
export interface DemoSetting {
  readonly env: ModelEnv
  readonly print: Print
  /** The cassette. Default: the one in this folder. */
  readonly file?: string
}

const RECORDING = 'cassettes/flicker.jsonl'

/** Runs the conversation with the model that the environment names, or, without one, replays the cassette. */
export async function demo({ env, print, file = RECORDING }: DemoSetting): Promise<AgentRun> {
  const driver = modelOf(env)
  if (driver === undefined) {
    print(`Replaying ${basename(file)}; set OPENAI_API_KEY or OPENAI_BASE_URL to ask a model.\n`)
    return withCassette(await openCassette(file), print)
  }
  print('Asking a model.\n')
  return talk({ print, driver, config: runConfig() })
}

/** Records the conversation with the model that the environment names or, without one, with the script. */
export async function record({ env, print, file = RECORDING }: DemoSetting): Promise<AgentRun> {
  print(`Recording ${basename(file)}.\n`)
  const driver = modelOf(env) ?? scriptedModel(SCRIPT)
  return withCassette(await openCassette(file, { mode: 'record' }), print, driver)
}

/** @param driver omitted in a replay */
async function withCassette(cassette: Cassette, print: Print, driver?: ModelDriver): Promise<AgentRun> {
  try {
    return await talk({
      print,
      driver: cassette.driver(driver),
      config: runConfig().layer(cassette.toolLayer()),
      options: { effects: cassette.effects() },
    })
  } finally {
    await cassette.close()
  }
}

/** Driver, run configuration and output of a conversation. */
interface Stage {
  readonly print: Print
  readonly driver: ModelDriver
  readonly config: RunConfig
  readonly options?: RuntimeOptions
}

async function talk({ print, driver, config, options }: Stage): Promise<AgentRun> {
  const support = openAgents(driver, { orders: new OrdersClient(), archive: new ArchiveClient() }, options)
  return converse(QUESTION, { support, decide: clerk(1), print, config })
}
