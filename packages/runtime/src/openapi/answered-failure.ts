import { classify } from '../execute/failure/classify.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { shorten } from '../execute/render/shorten.js'
import { mediaTypeOf } from './media-type.js'
import { OpenApiCallError, type OpenApiCallErrorFacts } from './openapi-call-error.js'

/** How many characters of what an API says a model is shown. */
const LONGEST_TEXT = 1_000

/**
 * The failure of a call by the status of its answer. Where the API refuses what was asked, a model is told what the API says
 * of it: it alone knows what else to ask for. Of everything else the model is told by a fixed sentence.
 */
export function answeredFailure(facts: OpenApiCallErrorFacts): OpenApiCallError | ToolFailure {
  const error = new OpenApiCallError(facts)
  const { reason, action } = classify(error, 0)
  const said = saidIn(facts)
  if (reason !== 'domain_rejection' || said === '') return error
  return new ToolFailure(said, {
    cause: error,
    ...((action === 'replan' || action === 'correct_call') && { action }),
  })
}

/** JSON in compact form, or plain text; pages for people say nothing to a model. */
function saidIn({ headers, body }: OpenApiCallErrorFacts): string {
  const type = mediaTypeOf(headers)
  if (type === 'text/html') return ''
  return shorten(compact(body.trim()), LONGEST_TEXT)
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    // It is no JSON, or was cut: then it is shown as it is.
    return text
  }
}
