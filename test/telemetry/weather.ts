import { type Tool, tool } from '@toolgen/runtime'
import type { RecordedTelemetry, SpanTree } from './recorded-telemetry.js'

export const parameters = { type: 'object', properties: { city: { type: 'string' } } } as const

/** Returns a tool whose executor creates a span, like an HTTP client. */
export function weather({ client }: RecordedTelemetry, run: (city: string) => unknown = () => ({ degrees: 21 })): Tool {
  return tool({
    name: 'weather',
    description: 'The weather of a city.',
    parameters,
    annotations: { idempotent: true },
    run: async ({ city }: { city: string }) => {
      const span = client.startSpan(`GET /${city}`)
      try {
        return await run(city)
      } finally {
        span.end()
      }
    },
  })
}

export const callOf = (city: string, toolCallId: string) => ({
  tool: 'weather',
  arguments: JSON.stringify({ city }),
  toolCallId,
})

/** Returns only the names and statuses of the spans. */
export const shape = ({ name, status, children }: SpanTree): unknown => [name, status, ...children.map(shape)]
