import type { ModelDriver } from '../../contract/model-driver.js'
import type { ToolsetRegistration } from '../../contract/registration.js'
import { peek } from '../../execute/failure/peek.js'

/** @throws {TypeError} when what plain JavaScript gave is no function. */
export function requireFunction<Value>(what: string, value: Value): Value {
  if (typeof value === 'function') return value
  throw new TypeError(`${what} is no function`)
}

/** @throws {TypeError} when what is given asks no model. */
export function requireDriver(driver: ModelDriver): ModelDriver {
  if (typeof peek(driver, 'ask') === 'function') return driver
  throw new TypeError('useModel: the driver is none, give e.g. openAiDriver({ client, model })')
}

/** @throws {TypeError} when what is given is no registration of a toolset. */
export function requireRegistration<Registration extends ToolsetRegistration<never>>(
  given: Registration,
): Registration {
  if (peek(peek(given, 'use'), 'toolset') !== undefined) return given
  throw new TypeError("this is no toolset: give e.g. toolset('local', weather)")
}
