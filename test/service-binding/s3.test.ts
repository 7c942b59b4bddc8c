import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  boolean,
  dateTime,
  integer,
  list,
  object,
  string,
} from '../../packages/codegen/src/services/bound-design.fixture.js'
import { type BoundClient, bindPublished, executorFile } from './client-project.js'
import { faultsOf, removeProject } from './generated-executor.js'

let bound: BoundClient

beforeAll(async () => {
  bound = await bindPublished({
    types: "import type { S3 as Client } from '@aws-sdk/client-s3'",
    tools: {
      listObjects: {
        method: 'listObjectsV2',
        payload: object({ bucket: string, 'prefix?': string, 'maxKeys?': integer }),
        result: object({
          'keyCount?': integer,
          'contents?': list(object({ 'key?': string, 'lastModified?': dateTime })),
        }),
      },
      headObject: {
        method: 'headObject',
        payload: object({ bucket: string, key: string }),
        result: object({ contentLength: integer, 'lastModified?': dateTime }),
        answer: 'checked',
      },
      deleteObject: {
        method: 'deleteObject',
        payload: object({ bucket: string, key: string, 'versionId?': string }),
        result: object({ 'deleteMarker?': boolean }),
      },
      copyObject: {
        method: 'copyObject',
        payload: object({ bucket: string, key: string, source: string }),
        result: object({ 'versionId?': string }),
      },
      readObject: {
        method: 'getObject',
        payload: object({ bucket: string, key: string }),
        result: object({ body: string }),
      },
      createBucket: {
        method: 'createBucket',
        payload: object({ bucket: string }),
        result: object({ 'location?': string }),
      },
    },
  })
})

afterAll(() => removeProject(bound.root))

test('the verdicts', () => {
  expect(bound.verdicts).toEqual({
    // CopySource has no source in the payload.
    copyObject: 'mapper TG4101 / convert',
    createBucket: 'convert / convert',
    deleteObject: 'convert / convert',
    headObject: 'convert / checked',
    listObjects: 'convert / convert',
    // The body is a stream.
    readObject: 'convert / mapper TG4203',
  })
})

test('TypeScript accepts the generated executor', () => {
  expect(faultsOf(bound.root, '7.0', [executorFile])).toBe('')
})
