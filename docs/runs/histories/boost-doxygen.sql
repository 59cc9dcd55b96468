-- Moved pages of Boost, 1.83 to 1.88, by their names: what was boost/a/b_c.html is doxygen/SECTION/structboost_1_1a_1_1b__c.html (or
-- class…, union…) now. In the directory of the configuration: duckdb < boost-doxygen.sql (`out-nightly` is the publication).
CREATE TEMP TABLE doxygen AS
  SELECT url, replace(replace(replace(regexp_extract(url, '/(?:struct|class|union)(boost_1_1[^/]*\.html)$', 1),
         '_1_1', '/'), '__', '$'), '_', '?') AS name
  FROM 'out-nightly/changes.parquet' WHERE new_snapshot = '1.88' AND class = 'new';
CREATE TEMP TABLE truth AS
  SELECT old.url AS old_url, list(doxygen.url) AS new_urls
  FROM 'out-nightly/changes.parquet' old JOIN doxygen ON old.url = replace(doxygen.name, '$', '_')
  WHERE new_snapshot = '1.88' AND class IN ('gone', 'moved') AND name != '' AND name NOT LIKE '%?%' GROUP BY ALL;
SELECT count(*) AS pages, count(*) FILTER (moved.new_url IS NOT NULL AND list_contains(new_urls, moved.new_url)) AS same_place,
       count(*) FILTER (NOT list_contains(new_urls, moved.new_url)) AS another_place, count(*) FILTER (moved.new_url IS NULL) AS missed
FROM truth LEFT JOIN 'out-nightly/moved.parquet' moved ON truth.old_url = moved.old_url AND moved.new_snapshot = '1.88';
