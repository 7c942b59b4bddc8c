import { useEffect, useState } from 'react'
import { api, followStream, type RunRecord, type RunSummary, type StudioPart } from './api.js'
import { useStudio } from './store.js'
import { Timeline } from './timeline.js'

/** Timeline of a run that follows its parts. `version` changes with the timeline. */
export interface Feed {
  readonly timeline: Timeline
  readonly version: number
}

const EMPTY: Feed = { timeline: new Timeline(), version: 0 }

/** Returns the timeline of an ended run. */
export function timelineOf(parts: readonly StudioPart[]): Timeline {
  const timeline = new Timeline()
  for (const part of parts) timeline.add(part)
  return timeline
}

/** Checks whether a run has no further parts. The application can resume a run that it suspended. */
function isOver({ status, isOwn }: RunSummary): boolean {
  return status !== 'running' && status !== 'waiting' && (isOwn || status !== 'suspended')
}

/** Follows the parts of a run. Applies the parts of one animation frame together, and the end of a run at once. */
export function useFeed(id: string | undefined): Feed {
  const [feed, setFeed] = useState(EMPTY)
  useEffect(() => {
    if (id === undefined) return
    let timeline = new Timeline()
    let waiting: StudioPart[] = []
    let frame = 0
    const apply = (): void => {
      frame = 0
      for (const part of waiting) timeline.add(part)
      waiting = []
      setFeed((last) => ({ timeline, version: last.version + 1 }))
      if (timeline.removal !== undefined || (timeline.summary !== undefined && isOver(timeline.summary))) stop()
    }
    const stop = followStream(`runs/${encodeURIComponent(id)}/parts`, {
      message: (data) => {
        const part = data as StudioPart
        waiting.push(part)
        if (frame === 0) frame = requestAnimationFrame(apply)
        if (part.kind !== 'state' && part.kind !== 'removed') return
        cancelAnimationFrame(frame)
        apply()
      },
      open: (isNew) => {
        if (!isNew) return
        timeline = new Timeline()
        waiting = []
      },
    })
    return () => {
      cancelAnimationFrame(frame)
      stop()
      setFeed(EMPTY)
    }
  }, [id])
  return feed
}

/** Timelines of ended runs by their ids. */
type Timelines = ReadonlyMap<string, Timeline>

/** Loads the timelines of the earlier runs of a conversation that the server stores, one after the other. */
export function useEarlier(earlier: RunRecord['earlier']): Timelines {
  const { runs } = useStudio()
  const [timelines, setTimelines] = useState<Timelines>(new Map())
  const next = earlier.findLast(({ run }) => !timelines.has(run) && runs?.some(({ id }) => id === run))?.run
  useEffect(() => {
    if (next === undefined) return
    let isCurrent = true
    const load = async (): Promise<void> => {
      // The server can discard the run in the meantime.
      const parts = await api.parts(next).catch(() => [])
      if (isCurrent) setTimelines((loaded) => new Map([...loaded, [next, timelineOf(parts)]]))
    }
    void load()
    return () => {
      isCurrent = false
    }
  }, [next])
  return timelines
}
