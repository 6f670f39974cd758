"""Loads a table of PostgreSQL into another with dlt: dlt_people.py BACKEND replace|merge DATASET FOLDER.

SOURCE_URL and TARGET_URL name the databases. TABLE, KEY and UPDATED name the table, its primary key and the column of the
last change. CSV is the format that dlt loads into PostgreSQL by COPY.
"""
import os
import sys

import dlt
from dlt.sources.sql_database import sql_database

backend, mode, dataset, folder = sys.argv[1:]
table = os.environ["TABLE"]
source = sql_database(os.environ["SOURCE_URL"], table_names=[table], backend=backend, chunk_size=50_000)
if mode == "merge":
    source.resources[table].apply_hints(
        primary_key=os.environ["KEY"], incremental=dlt.sources.incremental(os.environ["UPDATED"], range_start="closed")
    )
target = dlt.destinations.postgres(os.environ["TARGET_URL"])
pipeline = dlt.pipeline(dataset, destination=target, dataset_name=dataset, pipelines_dir=folder)
pipeline.run(source, write_disposition=mode, loader_file_format="csv")
