import type { RunEvent } from '../../contract/event.js'
import type { ModelDriver } from '../../contract/model-driver.js'
import type { ToolsetRegistration } from '../../contract/registration.js'
import { unheard } from '../../event/unheard.js'
import { useName } from '../../execute/binding/use-name.js'
import type { BuilderParts, FactoryContext } from './builder-parts.js'
import { requireRegistration } from './require.js'

/** The toolsets that features added and factories make, in the order of their names. */
export function addedRegistrations(
  { registrations, factories, sinks }: BuilderParts,
  driver: ModelDriver | undefined,
): readonly ToolsetRegistration<never>[] {
  const context: FactoryContext = Object.freeze({
    get driver() {
      if (driver !== undefined) return driver
      throw new TypeError('a tool factory takes a driver, and the agent has none: add useModel(driver)')
    },
    events: (event: RunEvent) => {
      for (const sink of sinks) unheard(() => sink(event))
    },
  })
  const made = factories.flatMap((factory) => factory(context)).map(requireRegistration)
  return [...registrations, ...made].sort((a, b) => (useName(a.use) < useName(b.use) ? -1 : 1))
}
