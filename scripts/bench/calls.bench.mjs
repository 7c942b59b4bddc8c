// `npm run bench -- calls`: cost of a tool call through the runtime, of layers, and of whole runs, compared with the AI SDK,
// the OpenAI Agents SDK, LangChain and Mastra. See calls/README.md.
import { compileStock } from './calls/generated-stock.mjs'
import { withFolder } from './workspace.mjs'

export const parts = {
  call: 'one call after the other',
  layers: 'calls with layers that only call the next handler',
  parallel: '100 concurrent calls',
  unused: 'calls and runs with a trust feature that their tool does not use',
  runs: 'whole runs with a scripted model',
  memory: 'memory of runs that an application keeps',
}

/** Measures the parts. Throws if a call or a run returns a wrong result. */
export function benchmark({ parts: chosen, quick, log }) {
  // The usual value in production. Without it, some contestants validate more.
  process.env.NODE_ENV = 'production'
  // Disables the tracing of the contestants, whatever the environment sets.
  process.env.LANGSMITH_TRACING = 'false'
  process.env.LANGCHAIN_TRACING_V2 = 'false'
  process.env.OPENAI_AGENTS_DISABLE_TRACING = '1'
  process.env.MASTRA_TELEMETRY_DISABLED = '1'
  return withFolder('scripts/bench/.out-calls', async (folder) => {
    log('generating and compiling a toolset ...')
    compileStock(folder)
    // Imports the compiled toolset.
    const { rowsOfPart } = await import('./calls/rows.mjs')
    const rows = []
    for (const part of chosen) {
      log(`${parts[part]} ...`)
      rows.push(...(await rowsOfPart[part]({ quick })))
    }
    return rows
  })
}
