"""Pure jobs, spread over local processes or a Ray cluster, with the same results as in this process."""

from outplay.parallel.jobs import JobError, JobResult, finished_jobs, job_seed, run_jobs

__all__ = ["JobError", "JobResult", "finished_jobs", "job_seed", "run_jobs"]
