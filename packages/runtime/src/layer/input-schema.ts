import { payloadCodec } from '../codec/payload-codec.js'
import type { Codec } from '../contract/codec.js'
import type { Constraint } from '../contract/issue.js'
import type { ToolLayer } from '../contract/layer.js'

/**
 * `strict`: any issue fails the call. `lenient`: missing and ill-typed fields fail it; unknown ones and values out of
 * their bounds pass.
 */
export type InputSchemaMode = 'strict' | 'lenient'

/**
 * Holds the arguments of hand-written tools against their schema; without this layer it is only advertised. Around a
 * generated tool it does nothing: its codec has checked already.
 *
 * @example
 * const weather = tool({ description: '…', parameters, run }).layer(inputSchema('strict'))
 */
export function inputSchema(mode: InputSchemaMode): ToolLayer {
  return (next) => {
    let codec: Pick<Codec<never, unknown>, 'decodeValue'> | undefined
    return async (request) => {
      if (request.tool.provider !== 'function') return next(request)
      const sent = await request.decode()
      if (!sent.ok) return next(request)
      codec ??= payloadCodec({ schema: request.tool.arguments })
      const checked = codec.decodeValue(sent.value)
      const issues = checked.ok ? [] : checked.issues.filter(({ constraint }) => fails(mode, constraint))
      if (issues.length === 0) return next(request)
      return request.failInvalid(issues)
    }
  }
}

function fails(mode: InputSchemaMode, constraint: Constraint): boolean {
  return mode === 'strict' || LENIENT.has(constraint)
}

const LENIENT: ReadonlySet<Constraint> = new Set<Constraint>(['missing_field', 'invalid_type', 'no_variant_matches'])
