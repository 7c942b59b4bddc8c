import { type BoundAgent, Runtime } from '@toolgen/runtime'
import type { ModelDriver } from '@toolgen/runtime/agents'
import { type UseCodeModeOptions, useCodeMode } from '@toolgen/runtime/code-mode'
import { newBareBookkeeperAgent, registerBookkeeper } from '../gen/agents/bookkeeper/index.js'
import type { Office } from './office.js'
import { PaymentsClient } from './payments-client.js'

/** Registers the agent. With `programs`, its model writes programs. Without `programs`, the model calls the tools itself. */
export function openBookkeeper(
  driver: ModelDriver,
  { files, memory }: Office,
  programs?: UseCodeModeOptions,
): BoundAgent {
  const builder = newBareBookkeeperAgent(driver)
  const agent = (programs === undefined ? builder : builder.with(useCodeMode(programs))).build()
  return registerBookkeeper(new Runtime(), {
    agent,
    toolsets: { files: { caller: files }, memory: { caller: memory }, payments: { client: new PaymentsClient() } },
  })
}
